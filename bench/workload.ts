/** The same signed transactions and the same calls for every engine, as JSON that a child process reads. */
import { type Address, encodeFunctionData, getContractAddress, type Hex, pad, toEventSelector } from 'viem'
import { Token } from '../test/contracts/artifacts.ts'
import { createFibonacci, createHashing } from './loops.ts'
import { recipient, recipients } from './recipients.ts'
import { account, MNEMONIC, type Plan, sign } from './transactions.ts'

export interface Workload {
  readonly accounts: { readonly mnemonic: string; readonly addresses: readonly Address[] }
  /** From 20 accounts in turn to 100 new addresses. */
  readonly transfers: readonly Hex[]
  readonly token: {
    readonly address: Address
    /** Deploys, then gives each account its share: one block. */
    readonly setup: readonly Hex[]
    /** From 20 accounts in turn to 100 new addresses; the first 1,000 or 200 of them are a shorter batch. */
    readonly transfers: readonly Hex[]
    /** The data of `balanceOf` for each account. */
    readonly balanceOf: readonly Hex[]
    /** The data of a transfer of 1. */
    readonly transfer: Hex
    /** The same, to ten recipients. */
    readonly transferToEach: readonly Hex[]
    readonly topics: { readonly transfer: Hex; readonly senders: readonly Hex[] }
  }
  /** Those of the transfers: addresses that have nothing before. */
  readonly recipients: readonly {
    readonly address: Address
    /** The data of `balanceOf` for it. */
    readonly balanceOf: Hex
  }[]
  readonly loops: {
    /** Creates the contracts. */
    readonly setup: readonly Hex[]
    readonly fibonacci: LoopCall
    readonly hashing: LoopCall
  }
}

/** A call without data of a contract that computes in a loop. */
interface LoopCall {
  readonly address: Address
  readonly answer: Hex
}

const SENDERS = 20
const RECIPIENTS = 100
const COUNT = 2_000
const TOKEN_TRANSFER_GAS = 60_000n

export function tokenCall(to: Address, value: bigint): Hex {
  return encodeFunctionData({ abi: Token.abi, functionName: 'transfer', args: [to, value] })
}

/** Account 0 deploys the token and gives accounts 1 … `holders` - 1 their share; it uses `holders` nonces. */
export function tokenSetup(holders: number): { readonly address: Address; readonly plans: readonly Plan[] } {
  const address = getContractAddress({ from: account(0).address, nonce: 0n })
  const shares = Array.from({ length: holders - 1 }, (_, index): Plan => {
    const data = tokenCall(account(index + 1).address, 10_000n * 10n ** 18n)
    return { sender: 0, nonce: index + 1, gas: TOKEN_TRANSFER_GAS, to: address, data }
  })
  return { address, plans: [{ sender: 0, nonce: 0, gas: 1_500_000n, data: Token.bytecode }, ...shares] }
}

function balanceOf(holder: Address): Hex {
  return encodeFunctionData({ abi: Token.abi, functionName: 'balanceOf', args: [holder] })
}

/** Account 0 creates the contracts. */
async function createLoops(): Promise<Workload['loops']> {
  const contracts = [createFibonacci(), createHashing()] as const
  const [fibonacci, hashing] = contracts.map(({ answer }, nonce) => {
    return { address: getContractAddress({ from: account(0).address, nonce: BigInt(nonce) }), answer }
  }) as [LoopCall, LoopCall]
  const setup = await sign(
    contracts.map(({ creation }, nonce): Plan => ({ sender: 0, nonce, gas: 200_000n, data: creation })),
  )
  return { setup, fibonacci, hashing }
}

export async function createWorkload(): Promise<Workload> {
  const addresses = Array.from({ length: SENDERS }, (_, index) => account(index).address)
  const { address, plans: setup } = tokenSetup(SENDERS)

  const turns = Array.from({ length: COUNT }, (_, index) => ({
    sender: index % SENDERS,
    nonce: Math.floor(index / SENDERS),
    to: recipient(index % RECIPIENTS),
  }))
  return {
    accounts: { mnemonic: MNEMONIC, addresses },
    transfers: await sign(turns.map((turn) => ({ ...turn, gas: 21_000n, value: 1n }))),
    token: {
      address,
      setup: await sign(setup),
      transfers: await sign(
        turns.map(({ sender, nonce, to }) => ({
          sender,
          nonce: sender === 0 ? nonce + setup.length : nonce,
          gas: TOKEN_TRANSFER_GAS,
          to: address,
          data: tokenCall(to, 1n),
        })),
      ),
      balanceOf: addresses.map(balanceOf),
      transfer: tokenCall(recipient(0), 1n),
      transferToEach: Array.from({ length: 10 }, (_, index) => tokenCall(recipient(index), 1n)),
      topics: {
        transfer: toEventSelector('Transfer(address,address,uint256)'),
        senders: addresses.map((sender) => pad(sender, { size: 32 })),
      },
    },
    recipients: recipients(RECIPIENTS).map((address) => ({ address, balanceOf: balanceOf(address) })),
    loops: await createLoops(),
  }
}
