/** The version of this library, as its package names it; a test holds the two together. */
export const VERSION = '0.0.0'

/** Name and version, as clients are told. */
export const CLIENT_VERSION = `preseal/v${VERSION}`
