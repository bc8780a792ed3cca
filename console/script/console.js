// The console's script: conveniences only; every page works by submit without it.
