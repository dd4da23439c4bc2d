import { Elysia, t } from "elysia";
import type { Db } from "../../db/types.ts";
import { listDrawingTasks, listMediaTasks, type Viewer } from "../domain/tasks/list-tasks.ts";
import type { Site } from "../domain/tasks/task-view.ts";
import { languageOf } from "../lib/messages.ts";
import type { guard } from "./http/guard.ts";
import { integerField, pagedRows, pagingQuery, timestamp } from "./http/paging.ts";

const text = t.Optional(t.String({ maxLength: 200 }));
/** The year 9999 in milliseconds, the unit of drawing clients. */
const LAST_MILLISECOND = 253_402_300_799_999;
const drawingQuery = t.Object({
  ...pagingQuery,
  channel_id: integerField(),
  mj_id: text,
  start_timestamp: integerField(LAST_MILLISECOND),
  end_timestamp: integerField(LAST_MILLISECOND),
});
const mediaQuery = t.Object({
  ...pagingQuery,
  channel_id: integerField(),
  task_id: text,
  platform: text,
  action: text,
  status: text,
  start_timestamp: timestamp(),
  end_timestamp: timestamp(),
});
type Drawing = typeof drawingQuery.static;
type Media = typeof mediaQuery.static;

/** Drawing tasks, and music and video tasks: all users' for administrators, the caller's own under /self. */
export function taskRoutes(site: Site & Readonly<{ db: Db }>, guarded: ReturnType<typeof guard>) {
  const { db, settings, vault } = site;
  const drawings = { db, settings, vault };
  return new Elysia({ prefix: "/api", name: "console/tasks" })
    .use(guarded)
    .get(
      "/mj",
      ({ query, request }) =>
        pagedRows(query, (page) =>
          listDrawingTasks(drawings, { ...drawingFilter(query), ...channelOf(query) }, page, admin(request)),
        ),
      { role: "admin", query: drawingQuery },
    )
    .get(
      "/mj/self",
      ({ actor, query, request }) =>
        pagedRows(query, (page) =>
          listDrawingTasks(drawings, { ...drawingFilter(query), userId: actor.id }, page, owner(request)),
        ),
      { account: "requests.read", query: drawingQuery },
    )
    .get(
      "/task",
      ({ query, request }) =>
        pagedRows(query, (page) =>
          listMediaTasks(db, { ...mediaFilter(query), ...channelOf(query) }, page, admin(request)),
        ),
      { role: "admin", query: mediaQuery },
    )
    .get(
      "/task/self",
      ({ actor, query, request }) =>
        pagedRows(query, (page) =>
          listMediaTasks(db, { ...mediaFilter(query), userId: actor.id }, page, owner(request)),
        ),
      { account: "requests.read", query: mediaQuery },
    );
}

const admin = (request: Request): Viewer => ({ isOwner: false, language: languageOf(request) });
const owner = (request: Request): Viewer => ({ isOwner: true, language: languageOf(request) });

const channelOf = ({ channel_id }: Drawing | Media) => (channel_id ? { channelId: channel_id } : {});

const spanOf = ({ start_timestamp, end_timestamp }: Drawing | Media) => ({
  ...(start_timestamp && { start: Math.ceil(start_timestamp) }),
  ...(end_timestamp && { end: Math.trunc(end_timestamp) }),
});

const drawingFilter = (query: Drawing) => ({ ...spanOf(query), ...(query.mj_id && { mjId: query.mj_id }) });

const mediaFilter = (query: Media) => ({
  ...spanOf(query),
  ...(query.task_id && { taskId: query.task_id }),
  ...(query.platform && { platform: query.platform }),
  ...(query.action && { action: query.action }),
  ...(query.status && { status: query.status }),
});
