# The storage setup of this machine as JSON, for `iobound doctor --setup FILE` on any machine. It only reads.
# Filter drivers need an elevated prompt. Windows PowerShell 5.1 or later:
#   powershell -ExecutionPolicy Bypass -File collect.ps1 > windows.json
$ErrorActionPreference = 'SilentlyContinue'

# A redirection in PowerShell 5.1 writes UTF-16; in cmd, UTF-8 with this. Both are read.
[Console]::OutputEncoding = [System.Text.Encoding]::UTF8

# What Azure's metadata service says of the size and the disks, and nothing else of it. Elsewhere it does not answer.
function Select-Disk($disk) {
    $disk | Select-Object lun, name, caching, diskSizeGB, diskCapacityBytes, isUltraDisk, opsPerSecondThrottle,
        bytesPerSecondThrottle, writeAcceleratorEnabled, diffDiskSettings,
        @{ Name = 'managedDisk'; Expression = { $_.managedDisk | Select-Object storageAccountType } }
}
$instance = $null
if ($env:IOBOUND_COLLECT_METADATA -ne 'off') { try {
    $session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
    $session.Proxy = New-Object System.Net.WebProxy
    $compute = (Invoke-RestMethod -Headers @{ Metadata = 'true' } -WebSession $session -TimeoutSec 2 `
        -Uri 'http://169.254.169.254/metadata/instance?api-version=2021-11-01').compute
    if ($compute.vmSize) {
        $instance = [pscustomobject]@{ compute = [pscustomobject]@{
            vmSize = $compute.vmSize
            location = $compute.location
            zone = $compute.zone
            storageProfile = [pscustomobject]@{
                osDisk = (Select-Disk $compute.storageProfile.osDisk)
                dataDisks = @($compute.storageProfile.dataDisks | ForEach-Object { Select-Disk $_ })
            }
        } }
    }
} catch { } }

$system = Get-CimInstance Win32_OperatingSystem
$computer = Get-CimInstance Win32_ComputerSystem
$virtual = @(Get-VirtualDisk | ForEach-Object {
    [pscustomobject]@{
        FriendlyName = $_.FriendlyName
        UniqueId = $_.UniqueId
        ResiliencySettingName = $_.ResiliencySettingName
        NumberOfColumns = $_.NumberOfColumns
        NumberOfDataCopies = $_.NumberOfDataCopies
        Interleave = $_.Interleave
        Size = $_.Size
        DiskNumber = ($_ | Get-Disk).Number
        StoragePool = ($_ | Get-StoragePool).FriendlyName
        PhysicalDisks = @($_ | Get-PhysicalDisk | ForEach-Object { "$($_.UniqueId)" })
    }
})
$pools = @(Get-StoragePool -IsPrimordial $false | ForEach-Object {
    [pscustomobject]@{
        FriendlyName = $_.FriendlyName
        Size = $_.Size
        PhysicalDisks = @($_ | Get-PhysicalDisk | ForEach-Object { "$($_.UniqueId)" })
    }
})

[pscustomobject]@{
    'Computer' = [pscustomobject]@{
        System = $system.Caption
        Version = $system.Version
        LogicalProcessors = $computer.NumberOfLogicalProcessors
        MemoryBytes = $computer.TotalPhysicalMemory
    }
    'Instance' = $instance
    'Get-PhysicalDisk' = @(Get-PhysicalDisk | Select-Object DeviceId, FriendlyName, UniqueId, BusType, MediaType, Size,
        LogicalSectorSize, PhysicalSectorSize, PhysicalLocation, CanPool)
    'Get-VirtualDisk' = $virtual
    'Get-StoragePool' = $pools
    'Get-Disk' = @(Get-Disk | Select-Object Number, FriendlyName, UniqueId, Location, BusType, Size, LogicalSectorSize,
        PhysicalSectorSize, IsBoot, IsSystem, PartitionStyle)
    'Get-Partition' = @(Get-Partition | Select-Object DiskNumber, PartitionNumber, DriveLetter, Offset, Size, Type,
        AccessPaths)
    'Get-Volume' = @(Get-Volume | Select-Object DriveLetter, FileSystem, FileSystemType, FileSystemLabel,
        AllocationUnitSize, Size, DriveType, Path)
    'fltmc' = @(fltmc.exe filters | ForEach-Object { "$_" })
} | ConvertTo-Json -Depth 32
