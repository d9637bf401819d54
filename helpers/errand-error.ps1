# Errand's error helper for PowerShell 5.1 and later: raise a failure with a kind of your own.
#
#   . ./errand-error.ps1
#   Exit-ErrandError -Kind 'external.order.missing' -Message "No order $id" -Details @{ id = $id }
#
# Exit-ErrandError writes the failure and exits with 1; Write-ErrandError writes it and returns.

function Write-ErrandError {
  param(
    [Parameter(Mandatory = $true)][string] $Kind,
    [string] $Message = '',
    [object] $Details = $null
  )
  $envelope = @{ kind = $Kind; message = $(if ($Message) { $Message } else { $Kind }) }
  if ($null -ne $Details) { $envelope['details'] = $Details }
  $json = ConvertTo-Json -InputObject $envelope -Depth 32 -Compress
  $path = if ($env:ERRAND_ERROR_OUT) { $env:ERRAND_ERROR_OUT } else { $env:CONDUCTOR_ERROR_OUT }
  if (-not $path) {
    # not run by Errand: say it where a person sees it
    [Console]::Error.WriteLine($json)
    return
  }
  # whole or not at all: the script may be stopped at any moment
  [System.IO.File]::WriteAllText("$path.part", $json, (New-Object System.Text.UTF8Encoding $false))
  Move-Item -LiteralPath "$path.part" -Destination $path -Force
}

function Exit-ErrandError {
  param(
    [Parameter(Mandatory = $true)][string] $Kind,
    [string] $Message = '',
    [object] $Details = $null
  )
  Write-ErrandError -Kind $Kind -Message $Message -Details $Details
  exit 1
}
