import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../../components/display/CopyButton.tsx";
import { Row } from "../../../../components/layout.tsx";
import { indented } from "./indented.ts";

const ExchangeDiff = lazy(() => import("./ExchangeDiff.tsx"));

type ExchangePartProps = Readonly<{
  /** The body of the client's request. */
  client: string;
  /** What the last attempt sent; undefined: the same. */
  upstream: string | undefined;
}>;

/** What the client sent and what went upstream: copied, or compared. */
export const ExchangePart = ({ client, upstream }: ExchangePartProps) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Box component="section" sx={{ mt: 5 }}>
      <Row gap={1} wrap sx={{ minHeight: 24 }}>
        <Box component="h3" sx={{ m: 0, fontSize: 12, fontWeight: 600, color: "text.secondary" }}>
          {t("logs.detail.exchange.title")}
        </Box>
        <CopyButton text={indented(client)} words={t("logs.detail.exchange.copyClient")} />
        {upstream !== undefined && (
          <>
            <CopyButton text={indented(upstream)} words={t("logs.detail.exchange.copyUpstream")} />
            <Button
              size="small"
              variant="text"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
              sx={{ height: 24 }}
            >
              {t(isOpen ? "logs.detail.exchange.hide" : "logs.detail.exchange.compare")}
            </Button>
          </>
        )}
      </Row>
      {upstream === undefined ? (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("logs.detail.exchange.same")}</Box>
      ) : (
        isOpen && (
          <Suspense>
            <ExchangeDiff client={client} upstream={upstream} />
          </Suspense>
        )
      )}
    </Box>
  );
};
