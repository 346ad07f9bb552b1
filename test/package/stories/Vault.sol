// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

import 'hardhat/console.sol';

/// @notice Ether that is locked until a time, and a note of its owner's.
contract Vault {
    address public immutable owner;
    uint256 public immutable unlockTime;
    uint256 public note;

    event Deposited(address indexed from, uint256 amount);

    error TooEarly(uint256 unlockTime, uint256 now_);

    constructor(uint256 unlockTime_) {
        owner = msg.sender;
        unlockTime = unlockTime_;
    }

    function deposit() external payable {
        console.log('deposit of %d', msg.value);
        emit Deposited(msg.sender, msg.value);
    }

    function write(uint256 note_) external {
        require(msg.sender == owner, 'not the owner');
        note = note_;
    }

    function divide(uint256 by) external view returns (uint256) {
        return note / by;
    }

    function withdraw() external {
        if (block.timestamp < unlockTime) revert TooEarly(unlockTime, block.timestamp);
        (bool sent, ) = owner.call{value: address(this).balance}('');
        require(sent);
    }
}
