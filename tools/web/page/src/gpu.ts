// Draws what the engine describes on WebGPU: compute passes in order, then one render pass.
// Pipelines and buffers stay while the description's shape is the same; contents are written for
// each frame.

import type { GpuDraw } from "./contract";
import type { GpuFrame } from "./worker";

type Passes = GpuDraw["passes"];
type Bindings = { group: number; binding: number; buffer: number; dynamicOffset?: number; size?: number }[];

/** Everything that outlives a frame. */
interface Built {
  key: string;
  buffers: GPUBuffer[];
  passes: { pipeline: GPUComputePipeline; groups: Bound[]; workgroups: Passes[number]["workgroups"] }[];
  pipeline: GPURenderPipeline;
  groups: Bound[];
}

interface Bound {
  index: number;
  group: GPUBindGroup;
  offsets: number[];
}

const FORMAT: GPUTextureFormat = "rgba8unorm";

export class Gpu {
  private built: Built | undefined;
  private targets: { width: number; height: number; color: GPUTexture; depth: GPUTexture } | undefined;
  /** Why no more draws are possible. */
  lost: string | undefined;

  private constructor(private readonly device: GPUDevice) {
    void device.lost.then(({ message }) => (this.lost = message || "the GPU was lost"));
  }

  /** Opens the adapter; a sentence says why there is none. */
  static async open(): Promise<Gpu | string> {
    if (!("gpu" in navigator) || !navigator.gpu) return "This browser has no WebGPU";
    try {
      const adapter = await navigator.gpu.requestAdapter();
      if (!adapter) return "WebGPU has no adapter here";
      const { maxStorageBuffersPerShaderStage } = adapter.limits;
      return new Gpu(await adapter.requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage } }));
    } catch (error) {
      return `WebGPU does not open: ${error}`;
    }
  }

  /** Draws a frame and reads it back: rows from the top, four bytes a pixel. */
  async draw(
    { draw, contents }: { draw: GpuDraw; contents: GpuFrame["contents"] },
    width: number,
    height: number,
  ): Promise<Uint8ClampedArray<ArrayBuffer>> {
    const { device } = this;
    device.pushErrorScope("validation");
    const built = await this.build(draw);
    const { color, depth } = this.target(width, height);
    const encoder = device.createCommandEncoder();
    for (const [at, { content }] of draw.buffers.entries()) {
      const buffer = built.buffers[at] as GPUBuffer;
      const data = contents[content];
      if (data) device.queue.writeBuffer(buffer, 0, padded(data));
      else encoder.clearBuffer(buffer);
    }
    this.encode(encoder, built, draw, color, depth);
    const stride = Math.ceil((width * 4) / 256) * 256;
    const read = device.createBuffer({
      size: stride * height,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    encoder.copyTextureToBuffer({ texture: color }, { buffer: read, bytesPerRow: stride }, [width, height]);
    device.queue.submit([encoder.finish()]);
    const problem = await device.popErrorScope();
    if (problem) {
      read.destroy();
      this.built = undefined;
      throw new Error(problem.message);
    }
    await read.mapAsync(GPUMapMode.READ);
    const rows = new Uint8Array(read.getMappedRange());
    const pixels = new Uint8ClampedArray(width * height * 4);
    for (let y = 0; y < height; y++) pixels.set(rows.subarray(y * stride, y * stride + width * 4), y * width * 4);
    read.destroy();
    return pixels;
  }

  private encode(
    encoder: GPUCommandEncoder,
    built: Built,
    { draw }: GpuDraw,
    color: GPUTexture,
    depth: GPUTexture,
  ): void {
    for (const { pipeline, groups, workgroups } of built.passes) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const { index, group, offsets } of groups) pass.setBindGroup(index, group, offsets);
      if (Array.isArray(workgroups)) pass.dispatchWorkgroups(...workgroups);
      else pass.dispatchWorkgroupsIndirect(built.buffers[workgroups.indirect] as GPUBuffer, workgroups.offset);
      pass.end();
    }
    // The PICA200 has the near plane at depth 1.
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color.createView(), loadOp: "clear", storeOp: "store", clearValue: CLEAR }],
      ...(draw.depth
        ? {
            depthStencilAttachment: {
              view: depth.createView(),
              depthLoadOp: "clear" as const,
              depthStoreOp: "discard" as const,
              depthClearValue: 0,
            },
          }
        : {}),
    });
    pass.setPipeline(built.pipeline);
    for (const { index, group, offsets } of built.groups) pass.setBindGroup(index, group, offsets);
    for (const [slot, { buffer }] of draw.vertexBuffers.entries())
      pass.setVertexBuffer(slot, built.buffers[buffer] as GPUBuffer);
    if (draw.index) pass.setIndexBuffer(built.buffers[draw.index.buffer] as GPUBuffer, draw.index.format);
    const { indirect } = draw;
    if (indirect && draw.index) pass.drawIndexedIndirect(built.buffers[indirect.buffer] as GPUBuffer, indirect.offset);
    else if (indirect) pass.drawIndirect(built.buffers[indirect.buffer] as GPUBuffer, indirect.offset);
    else if (draw.index) pass.drawIndexed(draw.index.count);
    else pass.draw(draw.vertices ?? 0);
    pass.end();
  }

  private async build(frame: GpuDraw): Promise<Built> {
    const shape = { ...frame, buffers: frame.buffers.map(({ bytes, usage }) => ({ bytes, usage })) };
    const key = JSON.stringify(shape);
    if (this.built?.key === key) return this.built;
    this.built?.buffers.forEach((buffer) => buffer.destroy());
    const { device } = this;
    const modules = frame.wgsl.map((code) => device.createShaderModule({ code }));
    const buffers = frame.buffers.map(({ bytes, usage }) =>
      device.createBuffer({ size: Math.max(16, Math.ceil(bytes / 4) * 4), usage: usages(usage) }),
    );
    const passes = frame.passes.map(({ module, entry, bindings, workgroups }) => {
      const pipeline = device.createComputePipeline({
        layout: "auto",
        compute: { module: modules[module] as GPUShaderModule, entryPoint: entry },
      });
      return { pipeline, groups: this.bind(pipeline, bindings, buffers), workgroups };
    });
    const { draw } = frame;
    const pipeline = device.createRenderPipeline({
      layout: "auto",
      vertex: {
        module: modules[draw.vertexModule] as GPUShaderModule,
        entryPoint: draw.vertexEntry,
        buffers: draw.vertexBuffers.map(({ stride, step, attributes }) => ({
          arrayStride: stride,
          stepMode: step,
          attributes: attributes.map(({ location, format, offset }) => ({
            shaderLocation: location,
            format: format as GPUVertexFormat,
            offset,
          })),
        })),
      },
      fragment: {
        module: modules[draw.fragmentModule] as GPUShaderModule,
        entryPoint: draw.fragmentEntry,
        targets: [{ format: FORMAT }],
      },
      primitive: { topology: draw.topology, cullMode: "none" },
      ...(draw.depth
        ? {
            depthStencil: {
              format: "depth32float" as const,
              depthWriteEnabled: true,
              depthCompare: "greater-equal" as const,
            },
          }
        : {}),
    });
    this.built = { key, buffers, passes, pipeline, groups: this.bind(pipeline, draw.bindings, buffers) };
    return this.built;
  }

  private bind(pipeline: GPUComputePipeline | GPURenderPipeline, bindings: Bindings, buffers: GPUBuffer[]): Bound[] {
    const indices = [...new Set(bindings.map(({ group }) => group))].sort((a, b) => a - b);
    return indices.map((index) => {
      const own = bindings.filter(({ group }) => group === index).sort((a, b) => a.binding - b.binding);
      // A layout that follows from the shader has no dynamic offsets: the offset is part of the
      // binding.
      const entries = own.map(({ binding, buffer, dynamicOffset, size }) => ({
        binding,
        resource: {
          buffer: buffers[buffer] as GPUBuffer,
          ...(dynamicOffset ? { offset: dynamicOffset } : {}),
          ...(size ? { size } : {}),
        },
      }));
      return {
        index,
        group: this.device.createBindGroup({ layout: pipeline.getBindGroupLayout(index), entries }),
        offsets: [],
      };
    });
  }

  private target(width: number, height: number) {
    if (this.targets?.width === width && this.targets.height === height) return this.targets;
    this.targets?.color.destroy();
    this.targets?.depth.destroy();
    const { device } = this;
    const color = device.createTexture({
      size: [width, height],
      format: FORMAT,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const depth = device.createTexture({
      size: [width, height],
      format: "depth32float",
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    return (this.targets = { width, height, color, depth });
  }
}

/** The background of every picture, as the engine's CPU draws it. */
export const BACKGROUND = 232;
const CLEAR: GPUColor = { r: BACKGROUND / 255, g: BACKGROUND / 255, b: BACKGROUND / 255, a: 1 };

function usages(names: GpuDraw["buffers"][number]["usage"]): number {
  const bits = {
    vertex: GPUBufferUsage.VERTEX,
    index: GPUBufferUsage.INDEX,
    uniform: GPUBufferUsage.UNIFORM,
    storage: GPUBufferUsage.STORAGE,
    indirect: GPUBufferUsage.INDIRECT,
  };
  return names.reduce((sum, name) => sum | bits[name], GPUBufferUsage.COPY_DST);
}

/** Bytes in a multiple of four, as writes to buffers want. */
function padded(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.ceil(data.length / 4) * 4);
  whole.set(data);
  return whole;
}
