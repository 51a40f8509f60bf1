/** @type {{ [key: string]: import("../i18n.js").Text }} */
export default {};
