import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { chatModels } from "../../../api/models/chat-models.ts";
import { exampleModel } from "../../../api/models/default-model.ts";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { useBrandPreview } from "../../../components/site/brand-preview.ts";
import { SiteText, siteText } from "../../../components/site/SiteText.tsx";
import { curlExample, gatewayAddress } from "../../../lib/snippets/examples.ts";
import { useSession } from "../../../state/session.ts";
import { useSite } from "../../../state/site-status.ts";

/** The administrator's home page, else the built-in landing page. */
export function HomePage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(siteText("home_page_content"));
  useBrandPreview();
  if (error) return <ErrorState title={t("home.loadFailed")} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  return data === "" ? <Landing /> : <SiteText text={data} frameTitle={t("home.customFrame")} />;
}

const CLIENT_FORMATS = [
  { key: "chat", method: "POST", path: "/v1/chat/completions" },
  { key: "completions", method: "POST", path: "/v1/completions" },
  { key: "embeddings", method: "POST", path: "/v1/embeddings" },
  { key: "models", method: "GET", path: "/v1/models" },
] as const;

/** The landing page: what this gateway is, its URL, its models, and a first call. */
function Landing() {
  const { t } = useTranslation();
  const { user } = useSession();
  const site = useSite();
  const address = gatewayAddress(site?.server_address);
  const { data: models = [] } = useQuery(chatModels(user?.id));
  const example = curlExample(address, exampleModel(models));
  return (
    <Box sx={{ maxWidth: 1040, mx: "auto", width: "100%", px: { xs: 4, sm: 6 }, pt: { xs: 8, md: 18 }, pb: 12 }}>
      <Typography
        variant="h1"
        sx={{ fontSize: { xs: 28, md: 38 }, lineHeight: { xs: "36px", md: "46px" }, letterSpacing: "-0.024em" }}
      >
        {site?.home_title || t("home.title")}
      </Typography>
      <Typography sx={{ mt: 3, maxWidth: 620, fontSize: 16, lineHeight: "25px", color: "text.secondary" }}>
        {site?.home_lead || t("home.lead")}
      </Typography>
      <Row gap={3} wrap sx={{ mt: 7 }}>
        <AddressBox label={t("home.baseUrl")} address={`${address}/v1`} />
        <Button
          component={Link}
          to={user ? "/console" : "/login"}
          variant="contained"
          color="primary"
          size="large"
          sx={{ px: 5 }}
        >
          {user ? t("home.openConsole") : t("home.signIn")}
        </Button>
        <Button component={Link} to="/key" size="large">
          {t("keyUsage.link")}
        </Button>
      </Row>
      <Box
        sx={{
          mt: { xs: 10, md: 16 },
          display: "grid",
          gap: 8,
          gridTemplateColumns: { xs: "minmax(0,1fr)", md: "minmax(0,5fr) minmax(0,6fr)" },
        }}
      >
        <Box component="section" aria-labelledby="endpoints">
          <Typography variant="h2" id="endpoints" sx={{ mb: 3 }}>
            {t("home.endpoints")}
          </Typography>
          <ClientFormats />
        </Box>
        <Box sx={{ minWidth: 0 }}>
          <Row sx={{ mb: 2, minHeight: 24 }}>
            <Typography variant="h2" id="example" sx={{ flex: 1 }}>
              {t("home.example")}
            </Typography>
            <CopyButton text={example} />
          </Row>
          <CodeBox code={example} label={t("home.example")} />
        </Box>
      </Box>
    </Box>
  );
}

const AddressBox = ({ label, address }: { label: string; address: string }) => (
  <Row
    gap={3}
    sx={{
      height: 40,
      pl: 3.5,
      pr: 1.5,
      maxWidth: "100%",
      border: "1px solid",
      borderColor: "line.strong",
      borderRadius: "8px",
      bgcolor: "surface.paper",
    }}
  >
    <Box component="span" sx={{ fontSize: 13, color: "text.tertiary", flex: "none" }}>
      {label}
    </Box>
    <Box component="code" sx={{ minWidth: 0, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
      {address}
    </Box>
    <CopyButton text={address} />
  </Row>
);

const ClientFormats = () => {
  const { t } = useTranslation();
  return (
    <Col gap={0}>
      {CLIENT_FORMATS.map(({ key, method, path }) => (
        <Box key={key} sx={{ py: 2.5, borderTop: "1px solid", borderColor: "line.main" }}>
          <Box component="code" sx={{ fontSize: 13, overflowWrap: "anywhere" }}>
            <Box component="span" sx={{ color: "text.tertiary" }}>
              {method}{" "}
            </Box>
            {path}
          </Box>
          <Box sx={{ mt: 0.5, fontSize: 13, color: "text.secondary" }}>{t(`home.endpoint.${key}`)}</Box>
        </Box>
      ))}
    </Col>
  );
};
