import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { Panel, Row } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";

/** The texts that each panel has under a name of its own. */
type PanelText = "title" | "create" | "hint" | "none" | "delete" | "deleteTitle" | "deleteBody" | "deleted";

type ResourcePanelProps<Row extends Readonly<{ id: number; name: string }>> = Readonly<{
  /** The key of one of its texts: `organizations.projects.title`. */
  text: (name: PanelText) => string;
  /** Undefined until the first response. */
  rows: readonly Row[] | undefined;
  error: Error | null;
  onRetry: () => void;
  /** Whether the reader may create, change and delete. */
  isManager: boolean;
  /** What the button that edits says. */
  change: string;
  /** What stands for the rows until they are here, in pixels. */
  skeletonHeight: number;
  /** Its entry needs the panel's width. */
  isLong?: boolean;
  heading: (row: Row) => ReactNode;
  body: (row: Row) => ReactNode;
  remove: (id: number) => Promise<unknown>;
  /** Reads again what a deletion changes. */
  reload: () => unknown;
  /** Edits a row; null: creates one. */
  dialog: (row: Row | null, onClose: () => void) => ReactNode;
}>;

/** A panel of what an organization has several of, to be created, changed and deleted. */
export function ResourcePanel<Row extends Readonly<{ id: number; name: string }>>(props: ResourcePanelProps<Row>) {
  const { text, rows, error, onRetry, isManager, skeletonHeight, isLong = false } = props;
  const { t } = useTranslation();
  const act = useAction(props.reload);
  /** Null: a new one. */
  const [edited, setEdited] = useState<Row | null | undefined>(undefined);
  const remove = ({ id, name }: Row) =>
    act({
      question: {
        title: t(text("deleteTitle"), { name }),
        body: t(text("deleteBody")),
        action: t(text("delete")),
        isDangerous: true,
      },
      work: () => props.remove(id),
      done: () => t(text("deleted"), { name }),
    });
  return (
    <Panel
      title={t(text("title"))}
      action={
        isManager && (
          <Button size="small" onClick={() => setEdited(null)}>
            {t(text("create"))}
          </Button>
        )
      }
    >
      <Box sx={{ mb: 3, fontSize: 12, color: "text.tertiary" }}>{t(text("hint"))}</Box>
      {error && !rows && <ErrorState error={error} onRetry={onRetry} />}
      {!rows && !error && <Skeleton variant="rounded" height={skeletonHeight} />}
      {rows?.length === 0 && <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t(text("none"))}</Box>}
      {rows?.map((row) => (
        <Entry
          key={row.id}
          title={props.heading(row)}
          isLong={isLong}
          action={
            isManager && (
              <Row gap={2}>
                <Button size="small" onClick={() => setEdited(row)}>
                  {props.change}
                </Button>
                <Button size="small" color="error" onClick={() => void remove(row)}>
                  {t(text("delete"))}
                </Button>
              </Row>
            )
          }
        >
          {props.body(row)}
        </Entry>
      ))}
      {edited !== undefined && props.dialog(edited, () => setEdited(undefined))}
    </Panel>
  );
}
