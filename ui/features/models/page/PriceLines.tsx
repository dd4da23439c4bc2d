import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { hoursLabel, type PricedModel, tokenPrice, unitPrice, usd } from "../../../api/models/pricing.ts";
import { Col } from "../../../components/layout.tsx";
import { formatShort } from "../../../lib/format/number.ts";

/** All prices of a model, one a line. */
export const PriceLines = ({
  model,
  groupRatio,
  quotaPerUnit,
}: {
  model: PricedModel;
  groupRatio: number;
  quotaPerUnit: number;
}) => {
  const { t } = useTranslation();
  if (!model.is_priced) return <Quiet>{t("pricing.unset")}</Quiet>;
  const { unit } = model;
  if (unit !== "token") {
    const amount = unitPrice(model, groupRatio, quotaPerUnit);
    const price = usd(amount);
    return (
      <Col gap={0} sx={{ fontSize: 12.5, lineHeight: "17px", py: 0.5 }}>
        <span className="num">{t(`pricing.each.${unit}`, { price })}</span>
        {model.megapixel_price !== null && (
          <Quiet>{t("pricing.megapixel", { price: usd(model.megapixel_price * groupRatio) })}</Quiet>
        )}
        {Object.entries(model.variants).map(([variant, ofVariant]) => (
          <Quiet key={variant}>{t("pricing.variant", { variant, price: usd(ofVariant * groupRatio) })}</Quiet>
        ))}
        <SpecialLines model={model} words={(factors) => t("pricing.price", { price: usd(amount * factors.output) })} />
        {model.is_estimate && <Quiet>{t("pricing.assumed")}</Quiet>}
      </Col>
    );
  }
  const { input, cached, output, ...others } = tokenPrice(model, groupRatio, quotaPerUnit);
  const { imageInput, imageOutput, audioInput, audioOutput, cacheWritten } = others;
  return (
    <Col gap={0} sx={{ fontSize: 12.5, lineHeight: "17px", py: 0.5 }}>
      <span className="num">{t("pricing.input", { price: usd(input) })}</span>
      <span className="num">{t("pricing.output", { price: usd(output) })}</span>
      {model.cache_ratio !== 1 && <Quiet>{t("pricing.cached", { price: usd(cached) })}</Quiet>}
      {cacheWritten !== null && <Quiet>{t("pricing.cacheWritten", { price: usd(cacheWritten) })}</Quiet>}
      {imageInput !== null && <Quiet>{t("pricing.imageInput", { price: usd(imageInput) })}</Quiet>}
      {imageOutput !== null && <Quiet>{t("pricing.imageOutput", { price: usd(imageOutput) })}</Quiet>}
      {audioInput !== null && <Quiet>{t("pricing.audioInput", { price: usd(audioInput) })}</Quiet>}
      {audioOutput !== null && <Quiet>{t("pricing.audioOutput", { price: usd(audioOutput) })}</Quiet>}
      {model.context_tiers.map((tier) => (
        <Quiet key={tier.over}>
          {t("pricing.tier", {
            over: formatShort(tier.over),
            input: usd(input * tier.input),
            output: usd(output * tier.output),
          })}
        </Quiet>
      ))}
      <SpecialLines
        model={model}
        words={(factors) =>
          t("pricing.inOut", { input: usd(input * factors.input), output: usd(output * factors.output) })
        }
      />
    </Col>
  );
};

type Factors = PricedModel["service_tiers"][string];

/** What service tiers and hours cost, one a line. */
const SpecialLines = ({ model, words }: { model: PricedModel; words: (factors: Factors) => string }) => {
  const { t, i18n } = useTranslation();
  return (
    <>
      {Object.entries(model.service_tiers).map(([tier, factors]) => (
        <Quiet key={tier}>{t("pricing.serviceTier", { tier, price: words(factors) })}</Quiet>
      ))}
      {model.price_hours.map((rule) => {
        const hours = hoursLabel(rule, i18n.language);
        return (
          <Quiet key={hours}>
            {t(rule.is_active ? "pricing.hoursNow" : "pricing.hours", { hours, price: words(rule) })}
          </Quiet>
        );
      })}
    </>
  );
};

/** A further line of a price. */
export const Quiet = ({ children }: { children: string }) => (
  <Box component="span" className="num" sx={{ color: "text.tertiary", whiteSpace: "normal" }}>
    {children}
  </Box>
);
