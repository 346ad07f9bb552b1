/** Flags that users of other dev chains type, and what each is here. */

/** By the other name; `npx preseal` answers with these. Those of a fork are listed by what begins with `--fork` here. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  // anvil
  '-a': '--accounts',
  '-b': '--block-time, in milliseconds',
  '-m': '--mnemonic',
  '-q': '--json',
  '-t': '--traces',
  '--base-fee': '--initial-base-fee',
  '--block-base-fee-per-gas': '--initial-base-fee',
  '--code-size-limit': '--allow-unlimited-contract-size',
  '--disable-block-gas-limit': '--gas-limit',
  '--disable-code-size-limit': '--allow-unlimited-contract-size',
  '--init': '--genesis',
  '--mixed-mining': '--mining interval',
  '--no-mine': '--mining manual',
  '--no-mining': '--mining manual',
  '--print-traces': '--traces',
  '--quiet': '--json',
  '--silent': '--json',
  // hardhat node
  '--hostname': '--host',
}
