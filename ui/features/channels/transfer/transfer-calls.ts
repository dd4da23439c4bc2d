import { readData } from "../../../api/client.ts";
import { channelTransferApi } from "../../../api/groups.ts";

/** A channel in a file; the server validates its fields. */
type FileChannel = Readonly<{ name: string; type: number; [field: string]: unknown }>;
export type ChannelFile = Readonly<{ format: "sluice-channels"; channels: readonly FileChannel[] }>;

/** What an import would do with one channel of a file. */
export type PlannedChannel = Readonly<{
  name: string;
  action: "new" | "changed" | "same" | "refused";
  id: number | null;
  fields: readonly string[];
  message: string;
}>;

/** Without ids: all channels. Only the super admin can include secrets. */
export const exportChannels = (ids: readonly number[] | undefined, secrets: boolean) =>
  readData(channelTransferApi.export.post({ ids: ids && [...ids], secrets }));

export const planImport = (channels: readonly FileChannel[]) =>
  readData(channelTransferApi.import.preview.post({ channels: [...channels] }));

export const importChannels = (channels: readonly FileChannel[]) =>
  readData(channelTransferApi.import.post({ channels: [...channels] }));

/** Parses an exported file of channels; null if it isn't one. */
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
