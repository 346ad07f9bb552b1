/** The version of this library; a test compares it with package.json. */
export const VERSION = '0.1.0'

/** Name and version, the default result of web3_clientVersion. */
export const CLIENT_VERSION = `preseal/v${VERSION}`
