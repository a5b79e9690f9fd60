// The worker of the second engine, which writes HLSL, MSL and SPIR-V as text,
// started when one of them is wanted.

import init, { translate } from "native";
import { serve } from "./serve";

serve(init, NATIVE_FILE, translate);
