import Button from "@mui/material/Button";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";

/** The way to the page where entries are seen and changed. */
export const CatalogPanel = () => {
  const { t } = useTranslation();
  return (
    <Row sx={{ mt: 3 }}>
      <Button component={Link} to="/catalog">
        {t("settings.catalog.open")}
      </Button>
    </Row>
  );
};
