import type { JsonObject } from "../../formats/json.ts";
import type { TaskReport } from "../../formats/tasks/report.ts";
import type { ProviderChannel } from "./provider.ts";

/** What an upstream must know of a task to report its status. */
export type TaskReference = Readonly<{ upstreamId: string; action: string }>;

export type TaskRequest = Readonly<{ method: "GET" | "POST"; url: string; body: string }>;

/** How tasks are polled at an upstream that answers calls with tasks. Pure: the caller sends and signs. */
export type TaskProtocol = Readonly<{
  /** Maximum number of tasks per request. */
  mostAtOnce: number;
  /** A task that has not ended by then counts as failed. */
  timeoutSeconds: number;
  /** The answers hold what was made, so they are large and take time; absent: a few kilobytes. */
  answersWithMedia?: boolean;
  /** The status, other than 200, of answers that report a failed task. */
  failureStatus?: number;
  ask(channel: ProviderChannel, tasks: readonly TaskReference[]): TaskRequest;
  /** Reads the response to such a request; tasks that it doesn't mention are left out. */
  readReports(answer: unknown, tasks: readonly TaskReference[]): TaskReport[];
  /** Lists all tasks of a key and an action, newest first, page by page: cheaper where there are many. */
  list?: Readonly<{
    /** `cursor`: where the page begins; null: at the newest. */
    ask(channel: ProviderChannel, action: string, cursor: string | null): TaskRequest;
    /** The page's tasks, and where the next one begins; null: there is none. */
    read(answer: unknown, cursor: string | null): Readonly<{ reports: TaskReport[]; next: string | null }>;
  }>;
}>;

/** A request for a video, independent of the provider. */
export type VideoOrder = Readonly<{
  /** The upstream's name of the model. */
  model: string;
  /** The client's name of the model. */
  requestedModel: string;
  /** The channel's key, for providers whose keys hold projects. */
  key: string;
  prompt: string;
  seconds: number;
  /** Pixels as “1280x720”; empty: the provider's default. */
  size: string;
  /** Images to start from, as URLs or data URIs. */
  images: readonly string[];
  /** Fields of the provider's own API; they take precedence. */
  own: JsonObject;
}>;

/** What can be made of a finished video: a variation, an edited version, a longer one. */
export type FollowUpKind = "remix" | "edit" | "extension";

/** A finished video as an upstream's object holds it: where it can be read by anybody, or itself. */
export type VideoFile = Readonly<{ url: string }> | Readonly<{ bytes: Uint8Array<ArrayBuffer>; contentType: string }>;

/** The request for a finished video; `read` finds the video in the response, null: the response is the video. */
export type VideoSource = Readonly<{ request: TaskRequest; read: ((answer: unknown) => VideoFile | null) | null }>;

/** How videos are ordered at a provider. */
export type VideoProtocol = Readonly<{
  /** How long a model's videos are where the request states no length; null: as usual, or not this provider's model. */
  defaultSeconds?(model: string): number | null;
  /** `action` is stored with the task; `takesForm`: a request that came as a form is sent as one, with these fields. */
  order(
    channel: ProviderChannel,
    order: VideoOrder,
  ): Readonly<{
    url: string;
    headers?: Readonly<Record<string, string>>;
    action: string;
    body: JsonObject;
    takesForm?: boolean;
  }>;
  /** A video based on another one of the same channel and key; absent: the provider doesn't offer that. */
  followUp?(
    channel: ProviderChannel,
    order: Readonly<{ kind: FollowUpKind; upstreamId: string; prompt: string; seconds: number }>,
  ): Readonly<{ url: string; body: JsonObject }>;
  /** The task's name at the upstream, or why there is none. */
  readOrder(answer: unknown): Readonly<{ upstreamId: string }> | Readonly<{ problem: string }>;
  /** URL of the finished video; null: there is none yet. */
  videoUrl(data: unknown): string | null;
  /** How a finished video without a public URL is read, with the key that ordered it; null: not that way. */
  source?(channel: ProviderChannel, task: Readonly<{ upstreamId: string; data: unknown }>): VideoSource | null;
  /** Whether an image must be in the request, so that the gateway fetches it; absent: the provider fetches URLs. */
  inlinesImage?(url: string): boolean;
  /** Videos can be read and deleted only with the key that created them, under `/videos`. */
  isKeyScoped?: boolean;
}>;

/** Aspect ratio of a size in pixels, as “16:9”; null: the size is invalid. */
export function aspectRatioOf(size: string): string | null {
  const [width = 0, height = 0] = (/^(\d{2,5})x(\d{2,5})$/.exec(size)?.slice(1) ?? []).map(Number);
  if (width === 0 || height === 0) return null;
  return width === height ? "1:1" : width > height ? "16:9" : "9:16";
}
