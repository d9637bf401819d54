// Errand's error helper for C# (.NET Framework 4.5, Mono, .NET): raise a failure with a kind of your own.
//
//     static int Main() { return ErrandError.Run(() => {
//         throw new ErrandException("external.order.missing", "No order " + id, new Dictionary<string, object> { ["id"] = id });
//     }); }
//
// Run makes an ErrandException, or what has one as its cause, the failure of the script, after every finally.
// Raise writes the failure and exits with 1 at once; Write writes it and returns.
#pragma warning disable 8600, 8603, 8604, 8618, 8625
using System;
using System.Collections;
using System.Globalization;
using System.IO;
using System.Text;

public class ErrandException : Exception
{
    public ErrandException(string kind, string message = null, object details = null, Exception cause = null)
        : base(string.IsNullOrEmpty(message) ? kind : message, cause)
    {
        if (string.IsNullOrEmpty(kind)) throw new ArgumentException("a kind is needed", "kind");
        Kind = kind;
        Details = details;
    }

    public string Kind { get; private set; }
    public object Details { get; private set; }
}

public static class ErrandError
{
    // The try of the step, 0 for the first.
    public static int Attempt { get { int number; return int.TryParse(Get("ERRAND_ATTEMPT"), out number) ? number : 0; } }

    public static string RunId { get { return Get("ERRAND_RUN"); } }

    // The same for every try of the same action: give it to the service you call.
    public static string IdempotencyKey { get { return Get("ERRAND_IDEMPOTENCY_KEY"); } }

    // The W3C trace context of this try.
    public static string TraceParent { get { return Get("TRACEPARENT"); } }

    public static int Run(Action script)
    {
        try
        {
            script();
            return 0;
        }
        catch (Exception thrown)
        {
            var error = thrown;
            while (error != null && !(error is ErrandException)) error = error.InnerException;
            if (error == null) throw;
            var raised = (ErrandException)error;
            Write(raised.Kind, raised.Message, raised.Details);
            return 1;
        }
    }

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

        var path = Get("ERRAND_ERROR_OUT") ?? Get("CONDUCTOR_ERROR_OUT");
        if (path == null)
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

    private static string Get(string name)
    {
        var value = Environment.GetEnvironmentVariable(name);
        return string.IsNullOrEmpty(value) ? null : value;
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
