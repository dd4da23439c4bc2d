import { findMedia } from "../../../domain/tasks/find-tasks.ts";
import type { MediaRow } from "../../../domain/tasks/task-view.ts";
import { recordOf } from "../../../formats/json.ts";
import type { Caller } from "../../auth/authenticate.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import type { GatewayServer } from "../../http/arrival.ts";
import { callerOf } from "../caller.ts";

/** A video of the caller. Rejects GatewayError if it does not exist or was deleted. */
export async function ownVideo(context: GatewayContext, request: Request, server: GatewayServer | null, id: string) {
  const caller = await callerOf(context, request, server, "TaskEnabled");
  return { caller, row: await findVideo(context, caller, id) };
}

/** The caller's video with this id. Rejects GatewayError. */
export async function findVideo({ services }: GatewayContext, caller: Caller, id: string): Promise<MediaRow> {
  const [row] = id.startsWith("video_") ? await findMedia(services.tasks.db, caller.user.id, null, [id]) : [];
  if (!row || recordOf(row.properties)?.deleted === true) throw videoNotFound(id);
  return row;
}

export const videoNotFound = (id: string): GatewayError =>
  new GatewayError(
    404,
    "video_not_found",
    { code: "gateway_video_unknown", params: { id } },
    { type: "invalid_request_error" },
  );
