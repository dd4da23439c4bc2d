import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";

/** The host that an image is fetched from, if it is another one than this site's; null: nothing leaves it. */
export function foreignHostOf(address: string, site: string): string | null {
  try {
    const { protocol, origin, host } = new URL(address, site);
    if (protocol === "data:" || protocol === "blob:") return null;
    return origin === new URL(site).origin ? null : host;
  } catch {
    return address;
  }
}

/**
 * An image in a model's answer. What an answer says may be written by others (a page that was searched, a tool), and an address can
 * carry what the conversation says: one on another host is fetched only when the reader asks for it.
 */
export const AnswerImage = ({ src = "", alt }: Readonly<{ src?: string | undefined; alt: string }>) => {
  const { t } = useTranslation();
  const [isRequested, setRequested] = useState(false);
  const host = foreignHostOf(src, location.href);
  if (host === null || isRequested) {
    return <Box component="img" src={src} alt={alt} referrerPolicy="no-referrer" sx={{ maxWidth: "100%", mb: 2 }} />;
  }
  return (
    <Button size="small" variant="outlined" title={src} onClick={() => setRequested(true)} sx={{ mb: 2 }}>
      {t("playground.loadImage", { host })}
    </Button>
  );
};
