import OpenInNew from "@mui/icons-material/OpenInNewOutlined";
import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/CopyButton.tsx";
import { Row } from "../../../components/layout.tsx";
import { type LogEntry, otherOf } from "../log-entry.ts";
import { receiptText } from "./receipt-text.ts";

/** Hands a call on: its receipt as text, its address, its own page. */
export const ShareTools = ({ entry, isPage }: { entry: LogEntry; isPage: boolean }) => {
  const { t } = useTranslation();
  const { receipt, request_id: noted } = otherOf(entry);
  const requestId = noted ?? entry.request_id;
  if (!requestId) return null;
  const path = `/log/${encodeURIComponent(requestId)}`;
  return (
    <Row gap={2} wrap sx={{ mb: 4 }}>
      {!isPage && (
        <Button component={Link} to={path} size="small" variant="text" startIcon={<OpenInNew />}>
          {t("logs.share.open")}
        </Button>
      )}
      <CopyButton text={`${location.origin}${path}`} words={t("logs.share.link")} />
      {receipt && <CopyButton text={receiptText(entry, receipt, requestId, t)} words={t("logs.share.receipt")} />}
    </Row>
  );
};
