import ReceiptLong from "@mui/icons-material/ReceiptLongOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { withRight } from "../../../components/page/with-right.tsx";
import { exactTime } from "../../../lib/format/time.ts";
import { requestRows } from "../entries/log-queries.ts";
import { LogDetail } from "./LogDetail.tsx";

/** One request by its id: cost, attempts, timing and dropped fields. */
const RequestContent = () => {
  const { t, i18n } = useTranslation();
  const { requestId = "" }: { requestId?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const seesAll = useSeesAllUsers();
  const rows = useQuery(requestRows(seesAll ? "all" : "self", requestId));
  const unseen = rows.data ? rows.data.total - rows.data.items.length : 0;
  return (
    <>
      <PageHeader
        title={t("logs.request.title")}
        purpose={requestId}
        actions={
          <Button component={Link} to="/log">
            {t("logs.request.back")}
          </Button>
        }
      />
      {rows.error && <ErrorState error={rows.error} onRetry={() => void rows.refetch()} />}
      {rows.isPending && <Skeleton variant="rounded" height={240} />}
      {rows.data?.items.length === 0 && (
        <EmptyState icon={<ReceiptLong />} title={t("logs.request.noneTitle")} body={t("logs.request.noneBody")} />
      )}
      <Col gap={4}>
        {rows.data?.items.map((entry) => (
          <Panel key={entry.id} title={entry.model_name} hint={exactTime(entry.created_at, i18n.language)} pad={false}>
            <Box sx={{ px: { xs: 3, sm: 0 }, pb: 3 }}>
              <LogDetail entry={entry} place="page" />
            </Box>
          </Panel>
        ))}
        {unseen > 0 && (
          <Row gap={2} wrap>
            <Typography color="text.secondary">{t("logs.request.more", { count: unseen })}</Typography>
            <Button size="small" onClick={() => navigate({ to: "/log", search: () => ({ search: requestId }) })}>
              {t("logs.request.all")}
            </Button>
          </Row>
        )}
      </Col>
    </>
  );
};

export const RequestPage = withRight("requests.read", RequestContent);
