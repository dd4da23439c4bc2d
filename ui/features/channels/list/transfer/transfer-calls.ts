import { readData } from "../../../../api/client.ts";
import { channelTransferApi } from "../../../../api/groups.ts";
import { isNumber, isRecord, isText, readRecord } from "../../../../lib/json.ts";

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
  const file = readRecord(text);
  if (file?.format !== "sluice-channels" || !Array.isArray(file.channels)) return null;
  return file.channels.every(isChannel) ? { format: file.format, channels: file.channels } : null;
}

const isChannel = (value: unknown): value is FileChannel =>
  isRecord(value) && isText(value.name) && isNumber(value.type);
