import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import { useTranslation } from "react-i18next";
import type { Book } from "../../../src/billing/check-ledger/check-ledger.ts";
import { Panel, Row } from "../../components/layout.tsx";
import { StatusChip } from "../../components/StatusChip.tsx";
import type { Progress } from "./book-calls.ts";

const MOST_SHOWN = 50;

/** One book: what is compared, how far the check is, what is off. */
export const BookPanel = ({ book, progress }: { book: Book; progress: Progress | undefined }) => {
  const { t } = useTranslation();
  const wrong = progress?.wrong ?? [];
  return (
    <Panel
      title={t(`books.names.${book}`)}
      action={
        progress && (wrong.length > 0 || progress.isDone) ? (
          <StatusChip tone={wrong.length > 0 ? "bad" : "ok"}>
            {wrong.length > 0 ? t("books.off", { count: wrong.length }) : t("books.right")}
          </StatusChip>
        ) : undefined
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t(`books.what.${book}`)}</Box>
      {progress && (
        <Box className="num" sx={{ mt: 2, fontSize: 12.5, color: "text.tertiary" }}>
          {t("books.checked", { count: progress.checked })}
        </Box>
      )}
      {progress && !progress.isDone && <LinearProgress sx={{ mt: 2 }} aria-label={t(`books.names.${book}`)} />}
      {wrong.slice(0, MOST_SHOWN).map(({ id, name, kept, added }) => (
        <Row
          key={id}
          wrap
          gap={4}
          sx={{ mt: 2, pt: 2, fontSize: 13, borderTop: "1px solid", borderColor: "line.faint" }}
        >
          <Box sx={{ flex: 1, minWidth: 120, overflowWrap: "anywhere" }}>
            {name} (#{id})
          </Box>
          <Box className="num">
            {t("books.sides", {
              kept: kept.toLocaleString("en"),
              added: added.toLocaleString("en"),
              off: (kept - added).toLocaleString("en"),
            })}
          </Box>
        </Row>
      ))}
    </Panel>
  );
};
