// Errand's error helper for C# (.NET Framework 4.5, Mono, .NET): raise a failure with a kind of your own.
//
//     ErrandError.Raise("external.order.missing", "No order " + id, new Dictionary<string, object> { ["id"] = id });
//
// Raise writes the failure and exits with 1; Write writes it and returns.
using System;
using System.Collections;
using System.Globalization;
using System.IO;
using System.Text;

public static class ErrandError
{
    public static void Raise(string kind, string message = null, object details = null)
    {
        Write(kind, message, details);
        Environment.Exit(1);
    }

    public static void Write(string kind, string message = null, object details = null)
    {
        if (string.IsNullOrEmpty(kind)) throw new ArgumentException("a kind is needed", "kind");
        var json = new StringBuilder("{\"kind\":");
        Append(json, kind, 0);
        json.Append(",\"message\":");
        Append(json, string.IsNullOrEmpty(message) ? kind : message, 0);
        if (details != null)
        {
            json.Append(",\"details\":");
            Append(json, details, 0);
        }
        json.Append('}');

        var path = Environment.GetEnvironmentVariable("ERRAND_ERROR_OUT");
        if (string.IsNullOrEmpty(path)) path = Environment.GetEnvironmentVariable("CONDUCTOR_ERROR_OUT");
        if (string.IsNullOrEmpty(path))
        {
            // not run by Errand: say it where a person sees it
            Console.Error.WriteLine(json);
            return;
        }
        // whole or not at all: the script may be stopped at any moment
        File.WriteAllText(path + ".part", json.ToString(), new UTF8Encoding(false));
        if (File.Exists(path)) File.Delete(path);
        File.Move(path + ".part", path);
    }

    // Written out, so that the file needs no package on any of these runtimes.
    private static void Append(StringBuilder json, object value, int depth)
    {
        if (value == null || depth > 32) json.Append("null");
        else if (value is bool) json.Append((bool)value ? "true" : "false");
        else if (value is IDictionary) AppendObject(json, (IDictionary)value, depth);
        else if (value is IEnumerable && !(value is string)) AppendList(json, (IEnumerable)value, depth);
        else if (IsNumber(value)) json.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
        else AppendText(json, Convert.ToString(value, CultureInfo.InvariantCulture));
    }

    private static bool IsNumber(object value)
    {
        if (value is double) return !double.IsNaN((double)value) && !double.IsInfinity((double)value);
        if (value is float) return !float.IsNaN((float)value) && !float.IsInfinity((float)value);
        return value is int || value is long || value is decimal || value is short || value is byte
            || value is uint || value is ulong || value is ushort || value is sbyte;
    }

    private static void AppendObject(StringBuilder json, IDictionary map, int depth)
    {
        var separator = "{";
        foreach (DictionaryEntry entry in map)
        {
            json.Append(separator);
            AppendText(json, Convert.ToString(entry.Key, CultureInfo.InvariantCulture));
            json.Append(':');
            Append(json, entry.Value, depth + 1);
            separator = ",";
        }
        json.Append(separator == "{" ? "{}" : "}");
    }

    private static void AppendList(StringBuilder json, IEnumerable list, int depth)
    {
        var separator = "[";
        foreach (var item in list)
        {
            json.Append(separator);
            Append(json, item, depth + 1);
            separator = ",";
        }
        json.Append(separator == "[" ? "[]" : "]");
    }

    private static void AppendText(StringBuilder json, string text)
    {
        json.Append('"');
        foreach (var unit in text ?? "")
        {
            // beyond ASCII too: half a character is no UTF-8
            if (unit == '"' || unit == '\\') json.Append('\\').Append(unit);
            else if (unit < ' ' || unit > '~') json.Append("\\u").Append(((int)unit).ToString("x4"));
            else json.Append(unit);
        }
        json.Append('"');
    }
}
