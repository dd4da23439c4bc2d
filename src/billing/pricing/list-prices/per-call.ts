/** USD per call, as providers list it: images, reranking by the search. */
export const PER_CALL_USD: Readonly<Record<string, number>> = {
  "dall-e-2": 0.02,
  "dall-e-3": 0.04,
  "imagen-3.0-generate-002": 0.03,
  "imagen-4.0-fast-generate-001": 0.02,
  "imagen-4.0-generate-001": 0.04,
  "imagen-4.0-ultra-generate-001": 0.06,
  "grok-2-image": 0.07,
  "grok-2-image-1212": 0.07,
  "cogview-3": 0.0137,
  "cogview-3-plus": 0.0082,
  "cogview-3-flash": 0,
  "cogview-4": 0.0082,
  "wanx-v1": 0.0219,
  "wanx2.1-t2i-turbo": 0.0192,
  "wanx2.1-t2i-plus": 0.0274,
  "qwen-image": 0.0342,
  "wan2.2-t2i-plus": 0.0274,
  "wan2.2-t2i-flash": 0.0192,
  "image-01": 0.0035,
  "rerank-v3.5": 0.002,
  "rerank-english-v3.0": 0.002,
  "rerank-multilingual-v3.0": 0.002,
  "gpt-4-gizmo-*": 0.1,
};

/**
 * USD per drawing, song or lyrics. Neither Midjourney nor Suno lists prices for calls: these are assumed, as the ecosystem
 * has them; a clip of a video is four drawings.
 */
export const PER_TASK_USD: Readonly<Record<string, number>> = {
  suno_music: 0.1,
  suno_lyrics: 0.01,
  mj_imagine: 0.1,
  mj_variation: 0.1,
  mj_reroll: 0.1,
  mj_blend: 0.1,
  mj_modal: 0.1,
  mj_zoom: 0.1,
  mj_shorten: 0.1,
  mj_high_variation: 0.1,
  mj_low_variation: 0.1,
  mj_pan: 0.1,
  mj_inpaint: 0,
  mj_custom_zoom: 0,
  mj_describe: 0.05,
  mj_upscale: 0.05,
  mj_upload: 0.05,
  swap_face: 0.05,
  mj_edits: 0.1,
  mj_video: 0.4,
};
