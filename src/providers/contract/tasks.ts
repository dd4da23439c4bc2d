import type { JsonObject } from "../../formats/json.ts";
import type { TaskReport } from "../../formats/tasks/report.ts";
import type { ProviderChannel } from "./provider.ts";

/** A task as far as its upstream must know it to tell of it. */
export type TaskReference = Readonly<{ upstreamId: string; action: string }>;

export type TaskRequest = Readonly<{ method: "GET" | "POST"; url: string; body: string }>;

/** How tasks are followed at an upstream that answers a call with a task. Pure: the caller sends and signs. */
export type TaskProtocol = Readonly<{
  /** Tasks that one question may ask about. */
  mostAtOnce: number;
  /** A task that has not ended by then has failed. */
  timeoutSeconds: number;
  ask(channel: ProviderChannel, tasks: readonly TaskReference[]): TaskRequest;
  /** Reads the answer to such a question; tasks it does not tell of are left out. */
  readReports(answer: unknown, tasks: readonly TaskReference[]): TaskReport[];
  /** All tasks that a key ordered by an action, newest first, page by page: for many of them at once. */
  list?: Readonly<{
    /** `cursor`: where the page begins; null: at the newest. */
    ask(channel: ProviderChannel, action: string, cursor: string | null): TaskRequest;
    /** The page's tasks, and where the next one begins; null: there is none. */
    read(answer: unknown, cursor: string | null): Readonly<{ reports: TaskReport[]; next: string | null }>;
  }>;
}>;

/** A video that is asked for, in no provider's words. */
export type VideoOrder = Readonly<{
  /** The upstream's name of the model. */
  model: string;
  prompt: string;
  seconds: number;
  /** Pixels as “1280x720”; empty: as the provider likes. */
  size: string;
  /** Pictures to begin with, as addresses or data URIs. */
  images: readonly string[];
  /** Fields in the provider's own words, which win. */
  own: JsonObject;
}>;

/** What can be made of a finished video: the same again with changes, an edited one, a longer one. */
export type FollowUpKind = "remix" | "edit" | "extension";

/** How videos are ordered at a provider. */
export type VideoProtocol = Readonly<{
  /** How long a model's videos are where the request states no length; null: as usual, or not this provider's model. */
  defaultSeconds?(model: string): number | null;
  /** `action` is kept with the task; `takesForm`: an order that came as a form goes on as one, with these fields. */
  order(
    channel: ProviderChannel,
    order: VideoOrder,
  ): Readonly<{ url: string; action: string; body: JsonObject; takesForm?: boolean }>;
  /** A video that goes on from another of the same channel and key; absent: the provider has no such thing. */
  followUp?(
    channel: ProviderChannel,
    order: Readonly<{ kind: FollowUpKind; upstreamId: string; prompt: string; seconds: number }>,
  ): Readonly<{ url: string; body: JsonObject }>;
  /** The task's name at the upstream, or why there is none. */
  readOrder(answer: unknown): Readonly<{ upstreamId: string }> | Readonly<{ problem: string }>;
  /** Where the finished video lies; null: nowhere yet. */
  videoUrl(data: unknown): string | null;
  /** Only the key can read or delete its videos: among the provider's objects, under `/videos`. */
  isKept?: boolean;
}>;

/** The address before a path, without a slash at its end. */
export const trimmed = (baseUrl: string): string => baseUrl.replace(/\/+$/, "");

/** Shape of a picture of so many pixels, as “16:9”; null where the size is none. */
export function aspectRatioOf(size: string): string | null {
  const [width = 0, height = 0] = (/^(\d{2,5})x(\d{2,5})$/.exec(size)?.slice(1) ?? []).map(Number);
  if (width === 0 || height === 0) return null;
  return width === height ? "1:1" : width > height ? "16:9" : "9:16";
}
