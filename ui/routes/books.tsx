import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Book } from "../../src/billing/check-ledger/check-ledger.ts";
import { ErrorState } from "../components/ErrorState.tsx";
import { Col, Panel } from "../components/layout.tsx";
import { Money } from "../components/Money.tsx";
import { notifyError } from "../components/notify.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { BookPanel } from "../features/books/BookPanel.tsx";
import { booksOverview, checkBook, type Progress } from "../features/books/book-calls.ts";

type Progresses = Partial<Record<Book, Progress>>;

/** Re-adds every sum that is kept and shows what is off. */
export const BooksPage = () => {
  const { t } = useTranslation();
  const overview = useQuery(booksOverview);
  const [progress, setProgress] = useState<Progresses>({});
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async (books: readonly Book[]) => {
    const control = new AbortController();
    stop.current = control;
    setProgress({});
    setRunning(true);
    try {
      for (const book of books)
        await checkBook(book, (now) => setProgress((all) => ({ ...all, [book]: now })), control.signal);
    } catch (error) {
      if (!control.signal.aborted) notifyError(error);
    }
    setRunning(false);
  };
  return (
    <>
      <PageHeader
        title={t("books.title")}
        purpose={t("books.purpose")}
        actions={
          isRunning ? (
            <Button onClick={() => stop.current?.abort()}>{t("books.stop")}</Button>
          ) : (
            <Button
              variant="contained"
              color="primary"
              disabled={!overview.data}
              onClick={() => void run(overview.data?.books ?? [])}
            >
              {t("books.check")}
            </Button>
          )
        }
      />
      {overview.isPending && <Skeleton variant="rounded" height={320} />}
      {overview.error && <ErrorState error={overview.error} onRetry={() => overview.refetch()} />}
      {overview.data && (
        <Col gap={4} sx={{ maxWidth: 880 }}>
          <Panel title={t("books.uncovered")} action={<Money quota={overview.data.uncovered} decimals={6} strong />}>
            <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("books.uncoveredWhat")}</Box>
          </Panel>
          {overview.data.books.map((book) => (
            <BookPanel key={book} book={book} progress={progress[book]} />
          ))}
        </Col>
      )}
    </>
  );
};
