// The worker of the third engine, which compiles shaders in WGSL and GLSL,
// started when one is typed.

import init, { compile } from "compiler";
import { serve } from "./serve";

serve(init, COMPILER_FILE, compile);
