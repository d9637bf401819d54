# Errand's error helper for PowerShell as a module; errand-error.ps1 beside it says what it has.
. (Join-Path $PSScriptRoot 'errand-error.ps1')
Export-ModuleMember -Function '*-Errand*'
