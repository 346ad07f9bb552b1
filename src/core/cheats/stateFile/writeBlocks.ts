/** Blocks and mined transactions in the form of a state file. */

import { bytesToHex, quantity } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import type { Block } from '../../../ethereum/block.ts'
import { logsToBloom } from '../../../ethereum/evm/receiptEncoding.ts'
import type { Header } from '../../../ethereum/header.ts'
import type { Transaction } from '../../../ethereum/transaction.ts'

/** What marks a number in the text of {@link toJson} until its quotes are removed. */
const MARK = '\u0000'

/** JSON in which bigints are numbers, whatever their size. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${MARK}${one}` : one))
  return text.replace(/"\\u0000(\d+)"/g, '$1')
}

/** A block as it is in a file. */
export function toFileBlock({ header, transactions, uncles, withdrawals }: Block): object {
  return {
    header: toFileHeader(header),
    transactions: transactions.map((tx) => ({
      transaction: toFileFields(tx),
      // Of a transaction with a sender here, anvil computes the hash from it too: that is the hash of those that anvil made.
      impersonated_sender: tx.unsigned && tx.s === 0n ? tx.from : null,
    })),
    ommers: uncles.map(toFileHeader),
    withdrawals:
      withdrawals?.map(({ index, validatorIndex, address, amount }) => ({
        index: quantity(index),
        validatorIndex: quantity(validatorIndex),
        address,
        amount: quantity(amount),
      })) ?? null,
  }
}

function toFileHeader(header: Header): object {
  const entries = Object.entries(header).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'bigint' ? quantity(value) : value]),
  )
}

function toFileFields(tx: Transaction): object {
  const { type, to, accessList, authorizationList, blobVersionedHashes } = tx
  const quantities = {
    type: BigInt(type),
    chainId: tx.chainId,
    nonce: tx.nonce,
    gas: tx.gasLimit,
    gasPrice: tx.gasPrice,
    maxFeePerGas: tx.maxFeePerGas,
    maxPriorityFeePerGas: tx.maxPriorityFeePerGas,
    maxFeePerBlobGas: tx.maxFeePerBlobGas,
    value: tx.value,
    r: tx.r,
    s: tx.s,
    ...(type > 0 && { yParity: tx.v }),
    v: tx.v,
  }
  return {
    ...toQuantities(quantities),
    to,
    input: bytesToHex(tx.data),
    ...(accessList && { accessList }),
    ...(blobVersionedHashes && { blobVersionedHashes }),
    ...(authorizationList && {
      authorizationList: authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => ({
        address,
        ...toQuantities({ chainId, nonce, yParity: BigInt(yParity), r, s }),
      })),
    }),
    hash: tx.unsigned ? bytesToHex(keccak256(tx.raw)) : tx.hash,
  }
}

/** The numbers as quantities; those that are undefined are left out. */
function toQuantities(values: Readonly<Record<string, bigint | undefined>>): object {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, quantity(value!)]))
}

/** A mined transaction as it is in a file, with its receipt. It has no traces. */
export function toFileTransaction(block: Block, index: number): object {
  const tx = block.transactions[index]!
  const { succeeded, stateRoot, gasUsed, cumulativeGasUsed, contractAddress, logs, revertReason } =
    block.receipts[index]!
  return {
    info: {
      transaction_hash: tx.hash,
      transaction_index: index,
      from: tx.from,
      to: tx.to,
      contract_address: contractAddress,
      traces: [],
      exit: succeeded ? 'Stop' : 'Revert',
      out: revertReason ?? '0x',
      nonce: tx.nonce,
      gas_used: gasUsed,
    },
    receipt: {
      type: quantity(tx.type),
      status: stateRoot ?? quantity(succeeded ? 1 : 0),
      cumulativeGasUsed: quantity(cumulativeGasUsed),
      logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
      logsBloom: bytesToHex(logsToBloom(logs)),
    },
    block_hash: block.hash,
    block_number: block.number,
  }
}
