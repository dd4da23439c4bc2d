/**
 * Tax ids by country, as the European Commission (VIES) and the tax offices publish their structure; without spaces, dots
 * and hyphens. Countries that are not listed are not checked.
 */
const FORMATS: Readonly<Record<string, RegExp>> = {
  AT: /^ATU\d{8}$/,
  AU: /^\d{11}$/,
  BE: /^BE[01]\d{9}$/,
  BG: /^BG\d{9,10}$/,
  BR: /^\d{14}$/,
  CH: /^CHE\d{9}(MWST|TVA|IVA)?$/,
  CN: /^[0-9A-Y]{18}$/,
  CY: /^CY\d{8}[A-Z]$/,
  CZ: /^CZ\d{8,10}$/,
  DE: /^DE\d{9}$/,
  DK: /^DK\d{8}$/,
  EE: /^EE\d{9}$/,
  ES: /^ES[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^FI\d{8}$/,
  FR: /^FR[A-HJ-NP-Z0-9]{2}\d{9}$/,
  GB: /^GB(\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})$/,
  // Greece writes EL before its ids.
  GR: /^EL\d{9}$/,
  HR: /^HR\d{11}$/,
  HU: /^HU\d{8}$/,
  IE: /^IE(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/,
  IN: /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/,
  IT: /^IT\d{11}$/,
  JP: /^T\d{13}$/,
  LT: /^LT(\d{9}|\d{12})$/,
  LU: /^LU\d{8}$/,
  LV: /^LV\d{11}$/,
  MT: /^MT\d{8}$/,
  NL: /^NL[A-Z0-9]{9}B\d{2}$/,
  NO: /^(NO)?\d{9}(MVA)?$/,
  NZ: /^\d{8,9}$/,
  PL: /^PL\d{10}$/,
  PT: /^PT\d{9}$/,
  RO: /^RO\d{2,10}$/,
  SE: /^SE\d{10}01$/,
  SG: /^[A-Z0-9]{9,10}$/,
  SI: /^SI\d{8}$/,
  SK: /^SK\d{10}$/,
};

/** A tax id as it is kept: in capitals, without what people put between its parts. */
export const normalizeTaxId = (input: string): string => input.toUpperCase().replace(/[\s.\-–/]/g, "");

/** Whether a tax id (`normalizeTaxId`) has the form of its country's. */
export const hasTaxIdFormat = (taxId: string, country: string): boolean => FORMATS[country]?.test(taxId) ?? true;
