import { request } from "../../api/client.ts";

/** A channel in a file; its fields are checked by the server. */
export type FileChannel = Readonly<{ name: string; type: number; [field: string]: unknown }>;
export type ChannelFile = Readonly<{ format: "sluice-channels"; channels: readonly FileChannel[] }>;

/** What an import would do with one channel of a file. */
export type PlannedChannel = Readonly<{
  name: string;
  action: "new" | "changed" | "same" | "refused";
  id: number | null;
  fields: readonly string[];
  message: string;
}>;

/** No ids: all channels. Secrets are for the super admin alone. */
export const exportChannels = async (ids: readonly number[] | undefined, secrets: boolean): Promise<ChannelFile> =>
  (await request<ChannelFile>("/api/channel/export", { method: "POST", body: { ids, secrets } })).data;

export const planImport = async (channels: readonly FileChannel[]): Promise<PlannedChannel[]> =>
  (await request<PlannedChannel[]>("/api/channel/import/preview", { method: "POST", body: { channels } })).data;

type Imported = Readonly<{ created: number; changed: number; refused: readonly PlannedChannel[] }>;

export const importChannels = async (channels: readonly FileChannel[]): Promise<Imported> =>
  (await request<Imported>("/api/channel/import", { method: "POST", body: { channels } })).data;

/** Reads a file of channels; null when it is none. */
export function readChannelFile(text: string): ChannelFile | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!value || typeof value !== "object" || !("format" in value) || value.format !== "sluice-channels") return null;
    if (!("channels" in value) || !Array.isArray(value.channels)) return null;
    return value.channels.every(isChannel) ? (value as ChannelFile) : null;
  } catch {
    return null;
  }
}

const isChannel = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "type" in value &&
  typeof value.type === "number";
