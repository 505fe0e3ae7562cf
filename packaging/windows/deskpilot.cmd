@echo off
rem Starts Deskpilot in a shell with the Python that lies beside it.
setlocal
set PYTHONHOME=
set PYTHONPATH=
set PYTHONNOUSERSITE=1
set PYTHONDONTWRITEBYTECODE=1
"%~dp0python\python.exe" -P -m app %*
