/** The example of preseal/coverage, compiled. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
/** A file of the example. */
export const exampleOf = (file: string) =>
  readFileSync(join(import.meta.dirname, '../../../examples/coverage', file), 'utf8')
const PATH = 'contracts/Vault.sol'

/** What Hardhat writes to `artifacts`. */
export function compileExample(): Record<string, string> {
  const input = {
    language: 'Solidity',
    sources: { [PATH]: { content: exampleOf('Vault.sol') } },
    settings: {
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const { abi, evm } = output.contracts[PATH].Vault
  return {
    'artifacts/build-info/example.json': JSON.stringify({ input, output }),
    [`artifacts/${PATH}/Vault.json`]: JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` }),
  }
}
