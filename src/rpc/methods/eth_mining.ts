import { method } from '../method.ts'

/** Whether blocks are made without being asked for. */
export const eth_mining = method([], ({ control }) => control.cheats.mining.isOn)
