use crate::paths;
use std::path::PathBuf;

/// The few names of OpenGL, EGL and VDPAU that the headers use, so that those need not be installed.
pub fn folder() -> Result<PathBuf, String> {
    let folder = paths::target().join("api/stand-ins");
    let files = [
        ("GL/gl.h", "typedef unsigned int GLuint; typedef unsigned int GLenum;\n"),
        ("EGL/egl.h", "typedef int EGLint; typedef void *EGLSyncKHR, *EGLImageKHR, *EGLStreamKHR;\n"),
        ("EGL/eglext.h", "\n"),
        (
            "vdpau/vdpau.h",
            "typedef unsigned int VdpDevice, VdpVideoSurface, VdpOutputSurface, VdpFuncId, VdpStatus;\n\
             typedef VdpStatus VdpGetProcAddress(VdpDevice, VdpFuncId, void **);\n",
        ),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    Ok(folder)
}
