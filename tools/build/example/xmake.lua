-- TRANSPICA=path/to/transpica xmake
target("lit")
    set_kind("binary")
    set_languages("c11")
    add_files("main.c")
    add_includedirs("out")
    before_build(function (target)
        local shader = "shaders/lit.v.pica"
        import("core.project.depend").on_changed(function ()
            os.mkdir("out")
            local transpica = os.getenv("TRANSPICA") or "transpica"
            os.execv(transpica, {"asm", shader, "-o", "out/lit.shbin", "--lint", "--bind-c", "out/lit.h"})
        end, {files = shader, dependfile = "out/lit.depend"})
    end)
