/** USD of a second of video, with what a second of a variant costs; the base price is that of the provider's defaults. */
type VideoListPrice = Readonly<{
  usd: number;
  /** Conditions on the order, as the option VideoPrice has them → USD of a second. */
  variants?: Readonly<Record<string, number>>;
  /** No price list could be read for all of it: assumed. */
  isEstimate?: true;
}>;

/** OpenAI's API price list, October 2025 (platform.openai.com/docs/pricing). */
const SORA_LARGE = { "size=1024x1792|1792x1024": 0.5 };
const SORA: Readonly<Record<string, VideoListPrice>> = {
  "sora-2": { usd: 0.1 },
  "sora-2-2025-10-06": { usd: 0.1 },
  "sora-2-2025-12-08": { usd: 0.1 },
  "sora-2-pro": { usd: 0.3, variants: SORA_LARGE },
  "sora-2-pro-2025-10-06": { usd: 0.3, variants: SORA_LARGE },
};

/** Kling's units at $0.14 (klingai.com, developers' prices, December 2025); sound doubles a second of 2.6. */
const KLING_PRO = { "mode=pro": 0.098 };
const KLING: Readonly<Record<string, VideoListPrice>> = {
  "kling-v2-6": { usd: 0.042, variants: { "mode=pro": 0.07, "sound=on": 0.14 } },
  "kling-v2-5-turbo": { usd: 0.042, variants: { "mode=pro": 0.07 } },
  "kling-v2-1-master": { usd: 0.28 },
  "kling-v2-1": { usd: 0.056, variants: KLING_PRO },
  "kling-v2-master": { usd: 0.28 },
  "kling-v1-6": { usd: 0.056, variants: KLING_PRO },
  "kling-v1-5": { usd: 0.056, variants: KLING_PRO },
  "kling-v1": { usd: 0.028, variants: KLING_PRO },
};

/** Vidu's credits at $0.005 (as resellers list them, doc-en.302.ai, December 2025). */
const VIDU: Readonly<Record<string, VideoListPrice>> = {
  "viduq2-pro": { usd: 0.1, variants: { "resolution=1080p": 0.2 } },
  "viduq2-turbo": { usd: 0.05, variants: { "resolution=1080p": 0.1 } },
  // The first second costs more than those that follow; seen for 360p and 540p alone.
  viduq2: {
    usd: 0.05,
    variants: { "resolution=360p|540p": 0.03, "resolution=1080p": 0.1, "seconds=1": 0.1 },
    isEstimate: true,
  },
  viduq1: { usd: 0.08 },
  "vidu2.0": {
    usd: 0.025,
    variants: {
      "seconds=8": 0.0625,
      "resolution=720p": 0.05,
      "resolution=720p,seconds=8": 0.0625,
      "resolution=1080p": 0.125,
    },
  },
  "vidu1.5": {
    usd: 0.05,
    variants: { "seconds=8": 0.125, "resolution=720p": 0.125, "resolution=1080p": 0.25 },
  },
};

export const VIDEO_USD: Readonly<Record<string, VideoListPrice>> = { ...SORA, ...KLING, ...VIDU };
