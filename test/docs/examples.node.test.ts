/** Every example runs and prints the expected text; those that must end by themselves run as processes. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Token } from '../../examples/contracts/token.ts'
import * as artifacts from '../contracts/artifacts.ts'
import { bundleProgram } from '../tools/program.ts'

const run = promisify(execFile)

/** What each example prints: all of it, or under the system clock the parts that do not depend on time. */
const OUTPUT: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'demo.ts': [
    /^preseal {2}a chain in this process: a block every 2000 ms, a preconf block every 200 ms\n/,
    /^block \d+ {2}preconf block {2}\d {3}\d\d tx {2}0x[0-9a-f]{6}…[0-9a-f]{4}$/m,
    /^ +\d+ +\d\.\d\d s +\d+ ms {2}\d+\.\d+ +\d+ ms$/m,
    /\n\d+ transfers +p50 +p95\npre-confirmed( +\d+ ms){2}\nsealed( +\d+ ms){2}\n/,
    /\n(\d+) of \1 blocks were sealed with the hash of their last preconf block; 0 transactions reverted\n$/,
  ],
  'ethers.ts': [
    `deployed in block 1
transfer 1 in block 1, index 1
transfer 2 in block 1, index 2
bob has 3
sealed: block 1 with 3 transactions
`,
  ],
  'ethersPush.ts': [
    `200 ms: deployed
400 ms: pre-confirmed in block 1
400 ms: bob has 5
2000 ms: block 1 sealed
`,
  ],
  'events.ts': [
    `in the pool: nonce 0, 100 wei
block 1, preconf block 1: 100 wei
in the pool: nonce 1, 200 wei
dropped: replaced
in the pool: nonce 1, 300 wei
block 1, preconf block 2: 300 wei
block 1 sealed: 2 receipts, 42000 gas
block 2, preconf block 0: nothing new
`,
  ],
  'faults.ts': [
    `1 ether: success
1 ether: in block 1
2 ether: success
2 ether: dropped without notice
2 ether: success
2 ether: in block 3
pending is block 0, latest is block 3
`,
  ],
  'fork.ts': [
    `the fork reads 5 ether
7 ether on the fork, 5 on the forked chain
`,
  ],
  'explain.ts': [
    `block 1 has Token at 0x5fbdb2315678afecb367f032d93f642f64180aa3
preconfirmed transaction 0x0ec142162060117587d165e2ddcaa40ed58c172250e0e0d5012967fc89b056e5, in block 2: failed, 24418 gas
  [24418] Token::transfer(0x70997970c51812dc3a010c7d01b50e0d17dc79c8, 2000000000000000000000000 [2e24])
    └─ ← [Revert] InsufficientBalance(0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266, 1000000000000000000000000 [1e24], 2000000000000000000000000 [2e24])

the call ends with Revert
`,
  ],
  'exportChain.ts': [
    `one test begins at block 2, the same: true; the stranger has 5 ether
another begins at block 2, the same: true; the stranger has 5 ether
`,
  ],
  'importChain.ts': [
    `after block 0: 0 ether
after block 1: 1 ether
after block 2: 3 ether
after block 3: 6 ether
continued with block 4
`,
  ],
  'manualClock.ts': [
    /^(block \d of 2030-01-01T00:00:(02|04|06|08|10)\.000Z: 2 transactions, 0x[0-9a-f]{64}\n){5}the second run gave the same: true\n$/,
  ],
  'perTestChain.ts': [
    `ok: a transfer arrives
ok: another test is not affected
`,
  ],
  'persistence.ts': [
    `first starts at block 0
first ends at block 1: bob has 10001 ether
second starts at block 1
second ends at block 2: bob has 10002 ether
`,
  ],
  'predeploys.ts': [
    `the token is at 0xc2B8676a6db97f562c17119288110917Ced5Ea43: TEST
alice has 70, bob 30; alice has paid fees: true
`,
  ],
  'quickStart.ts': [
    /^pre-confirmed in block \d: bob has 10001 ether\nsealed with the pre-confirmed hash: true\n$/,
  ],
  'sendCalls.ts': [
    `sent: pending
pre-confirmed: success, 2 receipts, atomic: true
bob has 10001 ether, carol 10002
`,
  ],
  'sendSync.ts': ['pre-confirmed after 200 ms: success\n'],
  'server.ts': [
    `preconf: status 0x1
standard: no receipt yet
sealed: block 1
standard: status 0x1
`,
  ],
  'simulate.ts': [
    `the transfer would be a success: -1 ether for alice
block 2: failure
block 100: success
the chain is unchanged: block 1 has 0 transactions
`,
  ],
  'snapshots.ts': [
    `block 1 after sending 1 ether
block 0 after reverting
block 1 after sending 2 ether
block 0 after reverting
an hour later: 3600 s ahead of the clock
`,
  ],
  'subscriptions.ts': [
    `preconf block 1 of block 1: 1 new of 1
  transfer of 1000000000000000000000000, log 0
preconf block 2 of block 1: 2 new of 3
  transfer of 5, log 1
  transfer of 7, log 2
block 1 is sealed
preconf block 0 of block 2: 0 new of 0
`,
  ],
  'viemPush.ts': [
    `200 ms: deployed
200 ms: pending
400 ms: transfer of 5 pre-confirmed
2000 ms: block 1 sealed, 2 transactions
`,
  ],
  'vesting.ts': [
    `sealed, then 31 days: status 0x1, 0 ether left
pre-confirmed, then 31 days: status 0x0, 1 ether left
`,
  ],
  'wagmi.ts': [
    `connected: 10 accounts
pre-confirmed: the second account has 10001 ether
block 1 sealed
the receipt is in block 1
disconnected
`,
  ],
  'traces.ts': [
    `0x5fbdb2 logs: the answer is 42
it reverted with its calldata: true
execution reverted, after STATICCALL to 6c6f67
`,
  ],
  'twoChains.ts': [
    `12000 ms: alice deposits 5 on L1
24000 ms: L1 block 2 seals a deposit of 5
24200 ms: L2 block 13 pre-confirms it: alice has 5
26000 ms: L2 block 13 seals it
`,
  ],
  'twoViews.ts': [
    `bob's balance    standard            preconf
                latest   pending    latest   pending
before           10000     10000     10000     10000
sent             10000     10000     10000     10000
pre-confirmed    10000     10000     10000     10001
sealed           10001     10001     10001     10001
`,
  ],
}

const ENDING = ['demo.ts', 'server.ts', 'wagmi.ts']

describe('examples', () => {
  it('are all run here', async () => {
    const files = (await readdir('examples')).filter((name) => name.endsWith('.ts'))
    expect(files.sort()).toEqual(Object.keys(OUTPUT).sort())
  })

  it('declare all that they import', async () => {
    const names = await readdir('examples', { recursive: true })
    // The starter has a folder src of its own.
    const files = names.filter((name) => /\.[cm]?ts$/.test(name) && !/^(playground|starter)/.test(name))
    const texts = await Promise.all(files.map((name) => readFile(`examples/${name}`, 'utf8')))
    expect(files.filter((_, at) => /from '(\.\.\/)+(src|test)\//.test(texts[at]!))).toEqual([])
  })

  it('use the same token as the tests', () => {
    const { abi, bytecode } = artifacts.Token
    expect(Token).toEqual({ abi, bytecode })
  })

  it.each(Object.keys(OUTPUT).filter((name) => !ENDING.includes(name)))('%s', async (name) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    await import(`../../examples/${name.slice(0, -'.ts'.length)}.ts`)
    check(name, `${log.mock.calls.map((values) => values.join(' ')).join('\n')}\n`)
    expect(error.mock.calls).toEqual([])
  })

  describe.each(ENDING)('%s', (name) => {
    const program = bundleProgram(`examples/${name}`)

    it('ends by itself', async () => {
      const { stdout, stderr } = await run(process.execPath, [program.file])
      check(name, stdout)
      expect(stderr).toBe('')
    })
  })
})

function check(name: string, output: string): void {
  for (const part of OUTPUT[name]!) {
    if (typeof part === 'string') expect(output).toBe(part)
    else expect(output).toMatch(part)
  }
}
