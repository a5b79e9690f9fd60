# Compiles HLSL with DXC, without a GPU: `python3 dxc.py LIBRARY FOLDER`.
# The file extension determines the stage: `.vs.hlsl`, `.cs.hlsl`.
# Prints every error and each kind of warning once; fails if there is an error.
# LIBRARY is libdxcompiler for Linux. Its objects are those of dxcapi.h. Each has a table of functions;
# the first five are common to all objects (in this library also a destructor, which takes two entries).
import collections
import ctypes
import pathlib
import sys
import uuid
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_void_p, c_wchar_p

OWN = 5
UTF8 = 65001
STAGES = {'.vs': 'vs_6_0', '.cs': 'cs_6_0'}


class Buffer(ctypes.Structure):
    _fields_ = [('start', c_void_p), ('size', c_size_t), ('encoding', c_uint32)]


def guid(text):
    return ctypes.create_string_buffer(uuid.UUID(text).bytes_le, 16)


COMPILER = guid('73e22d93-e6ce-47f3-b5bf-f0664f39c1b0')
COMPILER_3 = guid('228b4687-5a6a-4730-900c-9702b2203f54')
RESULT = guid('58346cda-dde7-4497-9461-6f87af5e0659')


def call(thing, place, *arguments, returns=c_int32):
    """Calls the function at an index of the object's table; pointers are passed as such, numbers as u32."""
    types = [c_uint32 if isinstance(argument, int) else c_void_p for argument in arguments]
    table = ctypes.cast(thing, POINTER(POINTER(c_void_p))).contents
    arguments = [a if a is None or isinstance(a, int) else ctypes.cast(a, c_void_p) for a in arguments]
    return ctypes.CFUNCTYPE(returns, c_void_p, *types)(table[OWN + place])(thing, *arguments)


def release(thing):
    table = ctypes.cast(thing, POINTER(POINTER(c_void_p))).contents
    ctypes.CFUNCTYPE(c_uint32, c_void_p)(table[2])(thing)


def compile_text(compiler, text, stage):
    """Returns whether a text compiles, and the messages."""
    words = ['-E', 'main', '-T', stage]
    arguments = (c_wchar_p * len(words))(*words)
    source = Buffer(ctypes.cast(c_char_p(text), c_void_p), len(text), UTF8)
    result, status, said = c_void_p(), c_int32(), c_void_p()
    failed = call(compiler, 0, byref(source), arguments, len(words), None, RESULT, byref(result))
    if failed or not result:
        return False, f'the compiler fails: {failed & 0xFFFFFFFF:#x}'
    call(result, 0, byref(status))
    call(result, 2, byref(said))
    report = ''
    if said:
        size = call(said, 1, returns=c_size_t)
        report = ctypes.string_at(call(said, 0, returns=c_void_p), size).decode('utf-8', 'replace').strip('\0\n ')
        release(said)
    release(result)
    return status.value == 0, report


library = ctypes.CDLL(sys.argv[1])
library.DxcCreateInstance.restype = c_int32
compiler = c_void_p()
if library.DxcCreateInstance(COMPILER, COMPILER_3, byref(compiler)):
    sys.exit('DXC has no compiler')
# Invalid HLSL must fail, or the results below would mean nothing.
if compile_text(compiler, b'float4 main() : SV_Position { return nothing; }', 'vs_6_0')[0]:
    sys.exit('DXC compiles anything')
files, errors, warnings = 0, 0, collections.Counter()
for path in sorted(pathlib.Path(sys.argv[2]).glob('*.hlsl')):
    files += 1
    compiles, report = compile_text(compiler, path.read_bytes(), STAGES[path.suffixes[-2]])
    if not compiles:
        errors += 1
        print(f'{path.name}: error\n{report}')
    for line in report.splitlines():
        before, warning, text = line.partition('warning: ')
        if warning:
            warnings[text] += 1
for text, count in warnings.most_common():
    print(f'warning in {count} places: {text}')
print(f'DXC compiled {files} files: {errors} errors, {sum(warnings.values())} warnings')
sys.exit(0 if files > 0 and errors == 0 else 1)
