import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Col, Row } from "../../../components/layout.tsx";
import { Receipt } from "../../../components/Receipt.tsx";
import { StatusChip } from "../../../components/StatusChip.tsx";
import { usePhone } from "../../../components/usePhone.ts";
import { Waterfall } from "../../../components/Waterfall.tsx";
import { isCall, type LogEntry, otherOf } from "../log-entry.ts";
import { Content } from "./Content.tsx";
import { Facts } from "./Facts.tsx";
import { ShareTools } from "./ShareTools.tsx";

type LogDetailProps = Readonly<{
  entry: LogEntry;
  /** Under a row of the log, on the request's own page, or where nobody is signed in. */
  place?: "row" | "page" | "visitor";
}>;

/** What a row cost and why, where its time went, and what became of the request. */
export const LogDetail = ({ entry, place = "row" }: LogDetailProps) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const other = otherOf(entry);
  const attempts = other.admin_info?.attempts ?? [];
  return (
    <Box sx={isPhone ? { pt: 3 } : { p: 4, pl: place === "page" ? 4 : 9, pt: 2 }}>
      {isCall(entry) && place !== "visitor" && <ShareTools entry={entry} isPage={place === "page"} />}
      <Box
        sx={{
          display: "grid",
          gridTemplateColumns: isPhone || !isCall(entry) ? "minmax(0, 1fr)" : "minmax(0, 452px) minmax(0, 1fr)",
          gap: isPhone ? 4 : 6,
          alignItems: "start",
        }}
      >
        {isCall(entry) && (
          <Part title={t("logs.detail.receipt")}>
            {other.receipt ? (
              <Receipt
                receipt={other.receipt}
                group={entry.group}
                reserved={other.reserved}
                refunded={other.refunded}
              />
            ) : (
              <Box sx={{ fontSize: 13, color: "text.secondary" }}>
                {t(entry.quota === 0 ? "logs.detail.free" : "logs.detail.noReceipt")}
              </Box>
            )}
          </Part>
        )}
        <Col gap={4}>
          {attempts.length > 0 && (
            <Part title={t("logs.detail.attempts")}>
              <Waterfall attempts={attempts} />
            </Part>
          )}
          {other.dropped && other.dropped.length > 0 && (
            <Part title={t("logs.detail.dropped")}>
              <Row gap={1.5} wrap>
                {other.dropped.map((field) => (
                  <StatusChip key={field} tone="warn" dot={false}>
                    <code>{field}</code>
                  </StatusChip>
                ))}
              </Row>
            </Part>
          )}
          <Part title={t("logs.detail.request")}>
            <Facts entry={entry} other={other} />
          </Part>
        </Col>
      </Box>
      <Content other={other} />
    </Box>
  );
};

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Box component="section" sx={{ minWidth: 0 }}>
    <Box
      component="h3"
      sx={{ m: 0, mb: 2, fontSize: 12, lineHeight: "16px", fontWeight: 600, color: "text.secondary" }}
    >
      {title}
    </Box>
    {children}
  </Box>
);
