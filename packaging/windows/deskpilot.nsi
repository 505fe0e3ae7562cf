; The installer for Windows, for the person who runs it and without an administrator:
;     makensis -DVERSION=0.1.0 -DTREE=path\to\tree -DOUT=deskpilot-0.1.0-windows.exe deskpilot.nsi
; It compiles on Linux too. It was never run on Windows by those who wrote it.
Unicode true
!include LogicLib.nsh
!include WordFunc.nsh
!insertmacro VersionCompare

Name "Deskpilot ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Deskpilot"
SetCompressor /SOLID lzma
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Deskpilot"

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

Section
  ReadRegStr $0 HKCU "${KEY}" "DisplayVersion"
  ${If} $0 != ""
    ${VersionCompare} "$0" "${VERSION}" $1
    ${If} $1 == 1
      MessageBox MB_OK|MB_ICONSTOP "Deskpilot $0 is installed, and this is the older ${VERSION}, which cannot read what the newer one wrote. To have the older one all the same, remove the newer one first." /SD IDOK
      SetErrorLevel 1
      Quit
    ${EndIf}
  ${EndIf}
  ; The old one goes first, whole: modules it had and the new one has not must not be found.
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\share"
  SetOutPath "$INSTDIR"
  File /r "${TREE}/*"
  WriteUninstaller "$INSTDIR\remove.exe"
  CreateShortcut "$SMPROGRAMS\Deskpilot.lnk" "$INSTDIR\python\pythonw.exe" "-P -m app"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Deskpilot"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\remove.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\remove.exe" /S'
SectionEnd

Section "Uninstall"
  ; Only what the installer brought: a person may have chosen a folder with files of their own.
  RMDir /r "$INSTDIR\python"
  RMDir /r "$INSTDIR\share"
  RMDir /r "$INSTDIR\models"
  Delete "$INSTDIR\deskpilot.cmd"
  Delete "$INSTDIR\remove.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Deskpilot.lnk"
  DeleteRegKey HKCU "${KEY}"
  DetailPrint "What you kept in Deskpilot stays in $LOCALAPPDATA\deskpilot."
  MessageBox MB_OK "What you kept in Deskpilot stays in $LOCALAPPDATA\deskpilot." /SD IDOK
SectionEnd
