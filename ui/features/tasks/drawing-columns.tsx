import Button from "@mui/material/Button";
import type { TFunction } from "i18next";
import type { Column } from "../../components/data-table/column.ts";
import { Elapsed, Moment, Progress } from "./cells.tsx";
import { commonColumns } from "./common-columns.tsx";
import type { Opened } from "./TaskDialog.tsx";
import { type DrawingTask, elapsedSeconds, isSlowDrawing } from "./task.ts";

const ACTIONS = [
  "IMAGINE",
  "UPSCALE",
  "VARIATION",
  "HIGH_VARIATION",
  "LOW_VARIATION",
  "PAN",
  "DESCRIBE",
  "BLEND",
  "UPLOAD",
  "SHORTEN",
  "REROLL",
  "INPAINT",
  "ZOOM",
  "CUSTOM_ZOOM",
  "MODAL",
  "SWAP_FACE",
  "EDITS",
  "VIDEO",
] as const;
const CODES = [0, 1, 21, 22] as const;

/** The columns of drawing tasks; `open` shows what a cell has no room for. */
export function drawingColumns(t: TFunction, isAdmin: boolean, open: (opened: Opened) => void): Column<DrawingTask>[] {
  const { ofAdmins, status, cost, text } = commonColumns<DrawingTask>(t, isAdmin, open);
  return [
    {
      key: "submitted",
      head: t("tasks.columns.submitted"),
      width: 110,
      cell: ({ submit_time }) => <Moment seconds={submit_time / 1000} />,
    },
    {
      key: "elapsed",
      head: t("tasks.columns.elapsed"),
      width: 80,
      cell: ({ submit_time, finish_time }) => {
        const seconds = elapsedSeconds(submit_time / 1000, finish_time / 1000);
        return <Elapsed seconds={seconds} isSlow={isSlowDrawing(seconds)} />;
      },
    },
    ...ofAdmins,
    {
      key: "type",
      head: t("tasks.columns.type"),
      width: 110,
      cell: ({ action }) => {
        const known = ACTIONS.find((one) => one === action);
        return known ? t(`tasks.drawings.${known}`) : action;
      },
    },
    {
      key: "id",
      head: t("tasks.columns.id"),
      isTitle: true,
      cell: ({ mj_id }) => <span className="mono">{mj_id}</span>,
    },
    {
      key: "result",
      head: t("tasks.columns.result"),
      width: 110,
      cell: ({ code }) => {
        const known = CODES.find((one) => one === code);
        return known === undefined ? code : t(`tasks.codes.${known}`);
      },
    },
    status,
    {
      key: "progress",
      head: t("tasks.columns.progress"),
      width: 130,
      isSolid: true,
      cell: ({ progress, status }) => <Progress progress={progress} hasFailed={status === "FAILURE"} />,
    },
    {
      key: "image",
      head: t("tasks.columns.image"),
      width: 84,
      isSolid: true,
      cell: ({ image_url, mj_id }) =>
        image_url ? (
          <Button size="small" onClick={() => open({ title: mj_id, kind: "image", content: image_url })}>
            {t("tasks.view")}
          </Button>
        ) : (
          "–"
        ),
    },
    cost,
    text("prompt", 150, ({ prompt }) => prompt),
    text("promptEn", 150, ({ prompt_en }) => prompt_en),
    text("reason", 130, ({ fail_reason }) => fail_reason),
  ];
}
