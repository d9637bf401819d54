# Errand's error helper for PowerShell 5.1 and later: raise a failure with a kind of your own.
#
#   . ./errand-error.ps1          # or: Import-Module ./errand-error.psm1
#   trap { Complete-ErrandError $_ }
#   throw (New-ErrandError -Kind 'external.order.missing' -Message "No order $id" -Details @{ id = $id })
#
# Complete-ErrandError makes what New-ErrandError made, or what has it as its cause, the failure of the script, after
# every finally, and exits with 1. Exit-ErrandError writes the failure and exits with 1 at once; Write-ErrandError
# writes it and returns.

function Write-ErrandError {
  param(
    [Parameter(Mandatory = $true)][string] $Kind,
    [string] $Message = '',
    [object] $Details = $null
  )
  $envelope = [ordered]@{ kind = $Kind; message = $(if ($Message) { $Message } else { $Kind }) }
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

function New-ErrandError {
  param(
    [Parameter(Mandatory = $true)][string] $Kind,
    [string] $Message = '',
    [object] $Details = $null
  )
  $text = $(if ($Message) { $Message } else { $Kind })
  $exception = New-Object System.Exception $text
  $exception.Data['errand.kind'] = $Kind
  $exception.Data['errand.details'] = $Details
  New-Object System.Management.Automation.ErrorRecord $exception, $Kind, 'NotSpecified', $null
}

function Complete-ErrandError {
  param([Parameter(Mandatory = $true)] $ErrorRecord)
  $exception = $ErrorRecord.Exception
  while ($null -ne $exception -and -not $exception.Data.Contains('errand.kind')) {
    $exception = $exception.InnerException
  }
  if ($null -eq $exception) {
    [Console]::Error.WriteLine($ErrorRecord)
  } else {
    Write-ErrandError -Kind $exception.Data['errand.kind'] -Message $exception.Message -Details $exception.Data['errand.details']
  }
  exit 1
}

# The try of the step, 0 for the first.
function Get-ErrandAttempt { if ($env:ERRAND_ATTEMPT) { [int] $env:ERRAND_ATTEMPT } else { 0 } }

function Get-ErrandRun { $env:ERRAND_RUN }

# The same for every try of the same action: give it to the service you call.
function Get-ErrandIdempotencyKey { $env:ERRAND_IDEMPOTENCY_KEY }

# The W3C trace context of this try.
function Get-ErrandTraceParent { $env:TRACEPARENT }
