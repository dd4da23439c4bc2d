import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Book, BookSlice, Discrepancy } from "../../../../src/billing/check-ledger/check-ledger.ts";
import type { LastCheck as LastBooksCheck } from "../../../../src/domain/logs/audit/last-ledger-check.ts";
import { readData } from "../../../api/client.ts";
import { bookApi } from "../../../api/groups.ts";
import { exactAmountText, Money, useMoneyFormat } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { SetAsidePanel } from "./SetAsidePanel.tsx";

type Progresses = Partial<Record<Book, Progress>>;

/** Recomputes every stored sum and shows the differences. */
export const LedgerCheckPage = () => {
  const { t } = useTranslation();
  const overview = useQuery(booksOverview);
  const [progress, setProgress] = useState<Progresses>({});
  const [isRunning, setRunning] = useState(false);
  const queries = useQueryClient();
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async (books: readonly Book[]) => {
    const control = new AbortController();
    stop.current = control;
    setProgress({});
    setRunning(true);
    try {
      let [checked, off] = [0, 0];
      for (const book of books) {
        const done = await checkBook(book, (now) => setProgress((all) => ({ ...all, [book]: now })), control.signal);
        checked += done.checked;
        off += done.wrong.length;
      }
      const last = await readData(bookApi.checked.post({ checked, off }));
      queries.setQueryData(booksOverview.queryKey, (old) => old && { ...old, last_check: last });
    } catch (error) {
      if (!control.signal.aborted) notifyError(error);
    }
    setRunning(false);
  };
  return (
    <>
      <PageHeader
        title={t("ledgerCheck.title")}
        purpose={t("ledgerCheck.purpose")}
        actions={
          isRunning ? (
            <Button onClick={() => stop.current?.abort()}>{t("ledgerCheck.stop")}</Button>
          ) : (
            <Button
              variant="contained"
              color="primary"
              disabled={!overview.data}
              onClick={() => void run(overview.data?.books ?? [])}
            >
              {t("ledgerCheck.check")}
            </Button>
          )
        }
      />
      {overview.isPending && <Skeleton variant="rounded" height={320} />}
      {overview.error && <ErrorState error={overview.error} onRetry={() => overview.refetch()} />}
      {overview.data && (
        <Col gap={4} sx={{ maxWidth: 880 }}>
          <LastCheck last={overview.data.last_check} />
          <Panel
            title={t("ledgerCheck.uncovered")}
            action={<Money quota={overview.data.uncovered} decimals={6} strong />}
          >
            <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("ledgerCheck.uncoveredWhat")}</Box>
          </Panel>
          <SetAsidePanel />
          <Panel title={t("ledgerCheck.checks")} hint={t("ledgerCheck.checksHint")}>
            {overview.data.books.map((book) => (
              <BookRow key={book} book={book} progress={progress[book]} />
            ))}
          </Panel>
        </Col>
      )}
    </>
  );
};

/** When all books were last checked, and how that went. */
const LastCheck = ({ last }: { last: LastBooksCheck | null }) => {
  const { t } = useTranslation();
  if (!last) return <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("ledgerCheck.never")}</Box>;
  return (
    <Row gap={3} wrap sx={{ fontSize: 13 }}>
      <StatusChip tone={last.off > 0 ? "bad" : "ok"}>
        {last.off > 0 ? t("ledgerCheck.off", { count: last.off }) : t("ledgerCheck.right")}
      </StatusChip>
      <span className="num">{t("ledgerCheck.checked", { count: last.checked })}</span>
      <Box component="span" sx={{ color: "text.secondary" }}>
        {t("ledgerCheck.lastCheck", { name: last.username })} <TimeAgo seconds={last.at} />
      </Box>
    </Row>
  );
};

/** Balances are compared in quota units; of these books the sums are numbers of uses. */
const COUNTS: ReadonlySet<Book> = new Set(["codes"]);

const MOST_SHOWN = 50;

/** One ledger check: what is compared, its progress and its differences. */
const BookRow = ({ book, progress }: { book: Book; progress: Progress | undefined }) => {
  const { t } = useTranslation();
  const wrong = progress?.wrong ?? [];
  const money = useMoneyFormat();
  const amount = (value: number) =>
    COUNTS.has(book) ? formatNumber(value) : `${exactAmountText(value, money)} (${formatNumber(value)})`;
  return (
    <Box
      sx={{
        py: 2.5,
        borderTop: "1px solid",
        borderColor: "line.faint",
        "&:last-of-type": { pb: 0 },
      }}
    >
      <Row gap={3} sx={{ alignItems: "flex-start" }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Box component="h3" sx={{ m: 0, fontSize: 13, lineHeight: "20px", fontWeight: 600 }}>
            {t(`ledgerCheck.names.${book}`)}
          </Box>
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t(`ledgerCheck.what.${book}`)}</Box>
        </Box>
        {progress && (
          <Box
            className="num"
            sx={{
              fontSize: 12.5,
              lineHeight: "20px",
              color: "text.tertiary",
              whiteSpace: "nowrap",
            }}
          >
            {t("ledgerCheck.checked", { count: progress.checked })}
          </Box>
        )}
        {progress && (wrong.length > 0 || progress.isDone) && (
          <StatusChip tone={wrong.length > 0 ? "bad" : "ok"}>
            {wrong.length > 0 ? t("ledgerCheck.off", { count: wrong.length }) : t("ledgerCheck.right")}
          </StatusChip>
        )}
      </Row>
      {progress && !progress.isDone && <LinearProgress sx={{ mt: 2 }} aria-label={t(`ledgerCheck.names.${book}`)} />}
      {wrong.slice(0, MOST_SHOWN).map(({ id, name, stored, added }) => (
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
            {t("ledgerCheck.sides", { stored: amount(stored), added: amount(added), off: amount(stored - added) })}
          </Box>
        </Row>
      ))}
    </Box>
  );
};

/** The ledger checks, and what calls cost beyond balances (quota units). */
const booksOverview = queryOptions({
  queryKey: ["books"],
  queryFn: ({ signal }) => readData(bookApi.get({ fetch: { signal } })),
});

/** Progress of a ledger check. */
type Progress = Readonly<{ checked: number; wrong: readonly Discrepancy[]; isDone: boolean }>;

/**
 * Runs a ledger check batch by batch and reports progress after each. Rejects ApiError, also when `signal` aborts it.
 */
async function checkBook(
  book: Book,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Omit<Progress, "isDone">> {
  let checked = 0;
  const wrong: Discrepancy[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const slice: BookSlice = await readData(bookApi({ book }).get({ query: { after }, fetch: { signal } }));
    checked += slice.checked;
    wrong.push(...slice.wrong);
    after = slice.next;
    onProgress({ checked, wrong: [...wrong], isDone: after === null });
  }
  return { checked, wrong };
}
