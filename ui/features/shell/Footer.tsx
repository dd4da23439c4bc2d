import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { useSite } from "../../site-status.ts";

/** Custom footers are rare: what cleans them is loaded only then. */
const SafeContent = lazy(() => import("../../components/SafeContent.tsx"));

/** The site's own footer, or the version and who made this. */
export const Footer = () => {
  const { t } = useTranslation();
  const site = useSite();
  return (
    <Box
      component="footer"
      sx={{ flex: "none", px: 6, py: 4, fontSize: 12, color: "text.tertiary", textAlign: "center" }}
    >
      {site?.footer_html ? (
        <Suspense>
          <SafeContent text={site.footer_html} />
        </Suspense>
      ) : (
        <Row gap={2} sx={{ justifyContent: "center" }}>
          {site?.version && <span>{t("shell.footer.version", { version: site.version })}</span>}
          <span aria-hidden>·</span>
          {site?.project_url ? (
            <Link href={site.project_url} target="_blank" rel="noopener noreferrer" color="inherit" underline="always">
              {t("shell.footer.credit")}
            </Link>
          ) : (
            <span>{t("shell.footer.credit")}</span>
          )}
        </Row>
      )}
    </Box>
  );
};
