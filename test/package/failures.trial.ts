/** What a failed test shows of a user's Solidity, by the package in test runners, and call trees by its sub-path. */
import { describe, expect, it } from 'vitest'
import { buildInfo, Token } from '../inspect/solidity/bank.ts'
import { createProject, toolCommand } from './project.ts'

/** The folder that a compiler wrote, and the contract as a module. */
const files = {
  'artifacts/build-info/bank.json': JSON.stringify(buildInfo()),
  'token.json': JSON.stringify(Token),
}

const LINES = [
  'at Token.see (contracts/Token.sol:5:5)',
  'at Token._take (contracts/Token.sol:18:5)',
  'at Token.see (contracts/Token.sol:5:5)',
]

/** Tests that fail in the contract: a call by viem, and a send and a call by ethers, which drops the cause of the latter. */
const failing = (test: 'it' | 'test') => `
const { readFileSync } = require('node:fs')
const { createChain } = require('preseal')
const { showSolidityTrace } = require('preseal/errors')
const { PresealProvider } = require('preseal/ethers')
const { Contract, ContractFactory } = require('ethers')
const { createWalletClient, custom, publicActions } = require('viem')
const { foundry } = require('viem/chains')
const { abi, bytecode } = JSON.parse(readFileSync('token.json', 'utf8'))

async function failInViem() {
  const chain = await createChain({ mining: 'auto', stackTraces: 'artifacts' })
  try {
    const options = { account: chain.accounts[0].address, chain: foundry, transport: custom(chain.live) }
    const client = createWalletClient(options).extend(publicActions)
    const hash = await client.deployContract({ abi, bytecode })
    const { contractAddress } = await client.getTransactionReceipt({ hash })
    await client.readContract({ abi, address: contractAddress, functionName: 'see', args: [9n] })
  } finally {
    await chain.close()
  }
}

async function failInEthers(fail) {
  const chain = await createChain({ mining: 'auto', stackTraces: 'artifacts' })
  const provider = new PresealProvider(chain)
  try {
    const signer = await provider.getSigner()
    const deployed = await new ContractFactory(abi, bytecode, signer).deploy()
    await deployed.waitForDeployment()
    await fail(new Contract(await deployed.getAddress(), abi, signer))
  } finally {
    provider.destroy()
    await chain.close()
  }
}
${test}('a call by viem', failInViem)
${test}('a send by ethers', () => failInEthers((contract) => contract.move(3n)))
${test}('a call by ethers', () =>
  failInEthers((contract) => contract.see(9n).catch((error) => Promise.reject(showSolidityTrace(error)))))
`

/** A call by ethers on the chain of a fixture. */
const failingInVitest = `
import { readFileSync } from 'node:fs'
import { Contract, ContractFactory } from 'ethers'
import { PresealProvider } from 'preseal/ethers'
import { createChainTest } from 'preseal/vitest'
const { abi, bytecode } = JSON.parse(readFileSync('token.json', 'utf8'))
const test = createChainTest({ chainOptions: { mining: 'auto', stackTraces: 'artifacts' } })
test('a call by ethers', async ({ chain, onTestFinished }) => {
  const provider = new PresealProvider(chain)
  onTestFinished(() => provider.destroy())
  const signer = await provider.getSigner()
  const deployed = await new ContractFactory(abi, bytecode, signer).deploy()
  await new Contract(await deployed.getAddress(), abi, signer).see(9n)
})
`

/** Prints the tree of a failed send. */
const explaining = `
import { readFileSync } from 'node:fs'
import { createChain } from 'preseal'
import { explanationToText, loadArtifacts } from 'preseal/explain'
import { createWalletClient, custom, encodeFunctionData, publicActions } from 'viem'
import { foundry } from 'viem/chains'
const { abi, bytecode } = JSON.parse(readFileSync('token.json', 'utf8'))
const chain = await createChain({ mining: 'auto' })
const options = { account: chain.accounts[0].address, chain: foundry, transport: custom(chain.live) }
const client = createWalletClient(options).extend(publicActions)
const deployed = await client.deployContract({ abi, bytecode })
const { contractAddress } = await client.getTransactionReceipt({ hash: deployed })
const data = encodeFunctionData({ abi, functionName: 'move', args: [3n] })
const hash = await client.sendTransaction({ to: contractAddress, data, gas: 100_000n })
const artifacts = await loadArtifacts('artifacts')
console.log(explanationToText(await chain.explain(hash, { artifacts })))
await chain.close()
`

/** What a run printed that has to fail. */
async function failureOf(running: Promise<unknown>): Promise<string> {
  return running.then(
    () => expect.unreachable('it succeeded'),
    (error: Error) => error.message,
  )
}

/** The lines of Solidity in the order in which they were printed, the innermost of each stack. */
const linesOf = (text: string): readonly string[] => text.match(/at Token\.(see|_take) .*/g) ?? []

describe('a failed call or send shows the line of Solidity', () => {
  it.each([
    { runner: 'jest', test: 'test', path: 'bank.test.js', summary: '3 failed, 3 total' },
    { runner: 'mocha', test: 'it', path: 'test/bank.js', summary: '3 failing' },
  ] as const)('in $runner', async ({ runner, test, path, summary }) => {
    const project = await createProject({
      type: 'commonjs',
      tools: ['viem', 'ethers', runner],
      files: { ...files, [path]: failing(test) },
    })
    const printed = await failureOf(project.run(toolCommand(runner), []))
    expect(printed).toContain(summary)
    expect(linesOf(printed)).toEqual(LINES)
  })

  it('in vitest, by its fixtures alone', async () => {
    const project = await createProject({
      tools: ['viem', 'ethers', 'vitest'],
      files: { ...files, 'bank.test.js': failingInVitest },
    })
    const printed = await failureOf(project.run(toolCommand('vitest'), ['run']))
    expect(printed).toContain('Tests  1 failed (1)')
    expect(printed).toMatch(
      /Solidity: reverted with the reason "too much"\n ❯ Token\.see contracts\/Token\.sol:5:5\n/,
    )
  })
})

it('a call tree names what the artifacts of a folder name', async () => {
  const project = await createProject({ tools: ['viem'], files: { ...files, 'explain.js': explaining } })
  const { stdout } = await project.run(process.execPath, ['explain.js'])
  expect(stdout).toContain(`
  [24033] Token::move(3)
    └─ ← [Revert] panic: arithmetic underflow or overflow (0x11)
`)
})
