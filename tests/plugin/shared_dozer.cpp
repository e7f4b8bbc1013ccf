// The library as a shared one, for plug-ins: all of it comes from the static one.
