import type { OverridePreview } from "../../../../../src/domain/channels/routing/overrides/preview-overrides.ts";
import { readData } from "../../../../api/client.ts";
import { channelApi } from "../../../../api/groups.ts";

/** Overrides as texts, saved or not. */
export type OverrideTexts = Readonly<{ paramOverride: string; headerOverride: string }>;

/** What they make of a stored request, or of a body; nothing is sent to a provider. */
export const previewOverrides = (
  { paramOverride, headerOverride }: OverrideTexts,
  { requestId, body }: Readonly<{ requestId: string; body: string }>,
): Promise<OverridePreview> =>
  readData(
    channelApi.override_preview.post({
      ...{ param_override: paramOverride, header_override: headerOverride },
      ...(requestId.trim() === "" ? { body } : { request_id: requestId.trim() }),
    }),
  );

/** Sets them on channels; empty ones stay as they are. Returns how many channels there were. */
export const setOverrides = (
  ids: readonly number[],
  { paramOverride, headerOverride }: OverrideTexts,
): Promise<number> =>
  readData(
    channelApi.batch.overrides.post({
      ids: [...ids],
      ...(paramOverride.trim() !== "" && { param_override: paramOverride.trim() }),
      ...(headerOverride.trim() !== "" && { header_override: headerOverride.trim() }),
    }),
  );
