import Refresh from "@mui/icons-material/Refresh";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../display/CopyButton.tsx";
import { Col, Row } from "../layout.tsx";
import { DocsLink } from "../site/DocsLink.tsx";

type Props = {
  title?: string;
  /** The server's message, or the network error. */
  error: unknown;
  onRetry?: () => void;
};

/** What failed, what to do, and the request ID for support. */
export const ErrorState = ({ title, error, onRetry }: Props) => {
  const { t } = useTranslation();
  const requestId = requestIdOf(error);
  return (
    <Col
      gap={1}
      sx={{
        alignItems: "flex-start",
        p: 5,
        m: 4,
        border: "1px solid",
        borderColor: "tone.bad.line",
        bgcolor: "tone.bad.tint",
        borderRadius: 1,
      }}
    >
      <Typography variant="h2" role="alert" sx={{ color: "tone.bad.text" }}>
        {title ?? t("components.error.title")}
      </Typography>
      <Typography variant="body2" sx={{ maxWidth: 520, overflowWrap: "anywhere" }}>
        {error instanceof Error && error.message ? error.message : t("components.error.unknown")}
      </Typography>
      <Row sx={{ mt: 3 }} gap={4} wrap>
        {onRetry && (
          <Button startIcon={<Refresh />} onClick={onRetry}>
            {t("components.error.retry")}
          </Button>
        )}
        <DocsLink />
        {requestId && (
          <Row gap={1}>
            <Box sx={{ fontSize: 12, color: "text.secondary", overflowWrap: "anywhere" }}>
              {t("components.error.request")} <code>{requestId}</code>
            </Box>
            <CopyButton text={requestId} />
          </Row>
        )}
      </Row>
    </Col>
  );
};

const requestIdOf = (error: unknown): string | null =>
  error && typeof error === "object" && "requestId" in error && typeof error.requestId === "string"
    ? error.requestId
    : null;
