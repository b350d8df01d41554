; The installer for Windows, for one user and without administrator rights. Built with Inno Setup by
; .github/workflows/release.yml:  iscc /DVersion=1.2.3 /DPublisher=Name /DFolder=build\bundle\patchbay packaging\bundle\windows\patchbay.iss
[Setup]
AppId=Patchbay
AppName=Patchbay
AppVersion={#Version}
AppPublisher={#Publisher}
DefaultDirName={localappdata}\Programs\Patchbay
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesEnvironment=yes
DisableProgramGroupPage=yes
OutputDir=..\..\..\dist
OutputBaseFilename=patchbay-{#Version}-windows-x86_64
SetupIconFile=..\..\..\{#Folder}\patchbay.ico
UninstallDisplayIcon={app}\patchbay.ico
Compression=lzma2
SolidCompression=yes

[Files]
Source: "..\..\..\{#Folder}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion
Source: "patchbay.cmd"; DestDir: "{app}\bin"

[Icons]
Name: "{userprograms}\Patchbay"; Filename: "{app}\python\pythonw.exe"; Parameters: "-I -m patchbay"; IconFilename: "{app}\patchbay.ico"; AppUserModelID: "Patchbay"

[Registry]
Root: HKCU; Subkey: "Software\Classes\patchbay"; ValueType: string; ValueData: "URL:Patchbay"; Flags: uninsdeletekey
Root: HKCU; Subkey: "Software\Classes\patchbay"; ValueName: "URL Protocol"; ValueType: string; ValueData: ""
Root: HKCU; Subkey: "Software\Classes\patchbay\DefaultIcon"; ValueType: string; ValueData: "{app}\patchbay.ico"
Root: HKCU; Subkey: "Software\Classes\patchbay\shell\open\command"; ValueType: string; ValueData: """{app}\python\pythonw.exe"" -I -m patchbay ""%1"""
; The entry that starts Patchbay at login is removed with the program.
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueName: "patchbay"; ValueType: none; Flags: dontcreatekey uninsdeletevalue

[InstallDelete]
; Files of the version before, which this one may not have any more.
Type: filesandordirs; Name: "{app}\python"
