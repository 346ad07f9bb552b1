/** The contracts that a chain can have from its first block on; `core/open/predeploys/` has their codes. */

/** The names of the option `predeploys`. */
export const PREDEPLOYS = [
  'create2',
  'multicall3',
  'permit2',
  'createx',
  'entrypoint',
  'entrypoint08',
] as const

/** A contract, with the one that it creates in its constructor, if it does. */
export type Predeploy = (typeof PREDEPLOYS)[number]
