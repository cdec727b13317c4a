// When and how finely the picture is drawn: what is not picked is kept; where drawing is slow, what moves is coarse.

import { FramebufferTexture, LinearFilter, Mesh, NoBlending, type PerspectiveCamera, type Plane, PlaneGeometry, Scene, ShaderMaterial, WebGLRenderer } from "three";

/** ms of a fine frame beyond which frames are quick while something changes. */
const SLOW = 60;
/** ms without a change before the fine frame follows a quick one. */
const PAUSE = 150;
/** How much of the rest is seen while something is picked. */
const FAINT = 0.18;

type Detail = "none" | "quick" | "fine";

/**
 * Draws in two steps. What is `behind` is drawn where it or the camera has changed, and kept; what is in `front` is drawn
 * over the kept picture, so that a selection costs no more than what is selected. `data-drawn` of the canvas says "no",
 * "quick" or "yes" (fine, nothing left to do), `data-behind` whether the last frame has "drawn" or "kept" what is behind.
 */
export class Frames {
  readonly behind = new Scene();
  readonly front = new Scene();
  /** Whether what is behind is faint. */
  faint = false;
  private readonly renderer: WebGLRenderer;
  private readonly sheet = new ShaderMaterial({
    uniforms: { kept: { value: null }, share: { value: 1 } },
    vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 1.0, 1.0); }",
    fragmentShader: "uniform sampler2D kept; uniform float share; varying vec2 at; void main() { gl_FragColor = share * texture2D(kept, at); }",
    blending: NoBlending, depthTest: false, depthWrite: false,
  });
  private kept: Detail = "none";
  private slow = false;
  private wanted = false;
  /** Whether a frame is being drawn. */
  private busy = false;
  private later = 0;

  /** `coarsen` is called before and after what is drawn quickly; `prepare` when drawing is slow, some time before. */
  constructor(
    context: WebGL2RenderingContext, private readonly camera: PerspectiveCamera,
    private readonly prepare: () => void, private readonly coarsen: (coarse: boolean) => void,
  ) {
    this.renderer = new WebGLRenderer({ canvas: context.canvas as HTMLCanvasElement, context, alpha: true });
    const sheet = new Mesh(new PlaneGeometry(2, 2), this.sheet);
    sheet.frustumCulled = false;
    sheet.renderOrder = -1;
    this.front.add(sheet);
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  get cuts(): Plane[] {
    return this.renderer.clippingPlanes as Plane[];
  }

  set cuts(planes: Plane[]) {
    this.renderer.clippingPlanes = planes;
    this.draw();
  }

  /** The size of the canvas on the page, in its pixels. */
  resize(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.kept = "none";
  }

  /** Draw when the last frame is finished; `behind`: whether more has changed than what is in front. */
  draw(behind = true): void {
    if (behind) this.kept = "none";
    if (this.wanted) return;
    this.wanted = true;
    this.canvas.dataset["drawn"] = "no";
    clearTimeout(this.later);
    if (!this.busy) requestAnimationFrame(() => this.frame(this.slow));
  }

  /** Draw finely, now. */
  drawNow(): HTMLCanvasElement {
    this.paint(false);
    return this.canvas;
  }

  /** Draws; the next frame begins when this one is finished, so that none wait for each other where drawing is slow. */
  private frame(quick: boolean): void {
    this.wanted = false;
    this.busy = true;
    const began = performance.now();
    const whole = this.paint(quick);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = (): void => {
      if (fence && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) return void requestAnimationFrame(look);
      gl.deleteSync(fence);
      this.busy = false;
      if (whole && !quick) this.slow = performance.now() - began > SLOW;
      if (this.slow) setTimeout(this.prepare);
      if (this.wanted) return this.frame(this.slow);
      this.canvas.dataset["drawn"] = quick ? "quick" : "yes";
      if (quick) this.later = setTimeout(() => this.frame(false), PAUSE);
    };
    requestAnimationFrame(look);
  }

  /** Draw what is needed; whether what is behind was. */
  private paint(quick: boolean): boolean {
    const whole = this.kept === "none" || (this.kept === "quick" && !quick);
    if (quick) this.coarsen(true);
    // So many pixels for each of the page; a fine picture has several, whose mean is shown.
    const ratio = quick ? Math.min(devicePixelRatio, 1) : Math.min(2 * devicePixelRatio, 3);
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    if (whole) {
      this.renderer.render(this.behind, this.camera);
      this.keep();
      this.kept = quick ? "quick" : "fine";
    }
    (this.sheet.uniforms["share"] ?? { value: 1 }).value = this.faint ? FAINT : 1;
    this.renderer.render(this.front, this.camera);
    if (quick) this.coarsen(false);
    this.canvas.dataset["behind"] = whole ? "drawn" : "kept";
    return whole;
  }

  /** Keep the picture as it stands. */
  private keep(): void {
    const { width, height } = this.canvas;
    const uniform = this.sheet.uniforms["kept"] ?? { value: null };
    let kept = uniform.value as FramebufferTexture | null;
    if (kept?.image.width !== width || kept.image.height !== height) {
      kept?.dispose();
      kept = new FramebufferTexture(width, height);
      kept.magFilter = kept.minFilter = LinearFilter;
      uniform.value = kept;
    }
    this.renderer.copyFramebufferToTexture(kept);
  }
}
